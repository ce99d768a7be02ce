#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the extension's package, build/lockstep-VERSION.vsix (or the file that is named): `make vscode`. A .vsix is a
zip file; nothing is fetched. `code --install-extension FILE` installs it."""
import json
import sys
import zipfile
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

HERE = Path(__file__).resolve().parent
FILES = {"package.json": HERE / "package.json", "extension.js": HERE / "extension.js", "README.md": HERE / "README.md",
         "LICENSE.txt": HERE.parent.parent / "LICENSE"}
TYPES = """<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
<Default Extension=".json" ContentType="application/json"/>
<Default Extension=".js" ContentType="application/javascript"/>
<Default Extension=".md" ContentType="text/markdown"/>
<Default Extension=".txt" ContentType="text/plain"/>
<Default Extension=".vsixmanifest" ContentType="text/xml"/>
</Types>
"""
MANIFEST = """<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011">
<Metadata>
<Identity Language="en-US" Id={name} Version={version} Publisher={publisher}/>
<DisplayName>{title}</DisplayName>
<Description xml:space="preserve">{description}</Description>
<Tags>{tags}</Tags>
<Categories>{categories}</Categories>
<License>extension/LICENSE.txt</License>
<Properties>
<Property Id="Microsoft.VisualStudio.Code.Engine" Value={engine}/>
</Properties>
</Metadata>
<Installation><InstallationTarget Id="Microsoft.VisualStudio.Code"/></Installation>
<Dependencies/>
<Assets>
<Asset Type="Microsoft.VisualStudio.Code.Manifest" Path="extension/package.json" Addressable="true"/>
<Asset Type="Microsoft.VisualStudio.Services.Content.Details" Path="extension/README.md" Addressable="true"/>
<Asset Type="Microsoft.VisualStudio.Services.Content.License" Path="extension/LICENSE.txt" Addressable="true"/>
</Assets>
</PackageManifest>
"""


def main():
    about = json.loads(FILES["package.json"].read_text())
    manifest = MANIFEST.format(
        name=quoteattr(about["name"]), version=quoteattr(about["version"]), publisher=quoteattr(about["publisher"]),
        title=escape(about["displayName"]), description=escape(about["description"]), tags=escape(",".join(about["keywords"])),
        categories=escape(",".join(about["categories"])), engine=quoteattr(about["engines"]["vscode"]))
    to = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE.parent.parent / f"build/lockstep-{about['version']}.vsix"
    parts = {"[Content_Types].xml": TYPES, "extension.vsixmanifest": manifest}
    parts.update({f"extension/{name}": path.read_text() for name, path in FILES.items()})
    with zipfile.ZipFile(to, "w", zipfile.ZIP_DEFLATED) as z:
        for name, text in parts.items():
            z.writestr(zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0)), text, zipfile.ZIP_DEFLATED)  # the same each time
    print(to)


main()
