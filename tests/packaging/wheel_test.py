# SPDX-License-Identifier: Apache-2.0
"""tools/wheel.py for another processor than this one: of which processor a file is and the tag that follows, the
libraries that a file needs, and the packages they are of, with their licences, in a folder that tools/unpack.sh has
filled from packages of that processor."""
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE = Path(os.environ["SOURCE_DIR"])
TRIPLET = "aarch64-linux-gnu"


def elf(machine):
    """The head of an ELF file of 64 bits: what names its processor, and no more."""
    return b"\x7fELF\x02\x01\x01".ljust(16, b"\0") + (3).to_bytes(2, "little") + machine.to_bytes(2, "little") + bytes(44)


def package(work, name, library, links):
    """A package for arm64 with a library, as Debian's are: the file under /lib, its name a link."""
    folder = work / name
    (folder / "DEBIAN").mkdir(parents=True)
    (folder / "DEBIAN/control").write_text(f"Package: {name}\nSource: {name}-source\nVersion: 1:2.3-4\nArchitecture: arm64\n"
                                           "Multi-Arch: same\nMaintainer: nobody <nobody@nowhere.invalid>\nDescription: none\n")
    place = folder / "lib" / TRIPLET
    place.mkdir(parents=True)
    subprocess.run([os.environ["CC"], "-shared", "-nostdlib", f"-Wl,-soname,{library}", "-Wl,--no-as-needed", "-o",
                    place / f"{library}.0", "-x", "c", os.devnull, "-x", "none", *links], check=True)
    (place / library).symlink_to(f"{library}.0")
    doc = folder / f"usr/share/doc/{name}"
    doc.mkdir(parents=True)
    (doc / "copyright").write_text(f"the licence of {name}\n")
    deb = work / f"{name}.deb"
    subprocess.run(["dpkg-deb", "--root-owner-group", "-b", folder, deb], check=True, stdout=subprocess.DEVNULL)
    return deb, place / library


def main():
    if not shutil.which("dpkg-deb") or not shutil.which("dpkg-query"):
        print("SKIP: no dpkg")
        sys.exit(77)
    spec = importlib.util.spec_from_file_location("wheel", SOURCE / "tools/wheel.py")
    wheel = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(wheel)
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        for number, tag in ((62, "manylinux_2_36_x86_64"), (183, "manylinux_2_36_aarch64")):
            (work / "file").write_bytes(elf(number))
            got = wheel.tag_of((2, 36), wheel.machine_name(work / "file"))
            assert got == tag, (got, tag)
        # libone needs libtwo, a program needs libone.
        two, two_file = package(work, "two", "libtwo.so.2", [])
        one, one_file = package(work, "one", "libone.so.1", [two_file])
        root = work / "root"
        root.mkdir()
        for _ in range(2):  # the second time nothing is to be done
            subprocess.run([SOURCE / "tools/unpack.sh", root, one, two], check=True)
        machine = wheel.Machine(root, "aarch64")
        found = machine.needed(root / f"lib/{TRIPLET}/libone.so.1")
        assert list(found) == ["libtwo.so.2"] and found["libtwo.so.2"].startswith(str(root)), found
        machine.note(found["libtwo.so.2"])
        machine.note(root / f"usr/lib/{TRIPLET}/libone.so.1")
        assert machine.packages == {"one", "two"}, machine.packages
        assert machine.version("one") == "1:2.3-4 one-source", machine.version("one")
        assert f"/lib/{TRIPLET}/libone.so.1" in machine.files("one"), machine.files("one")
        assert Path(machine.path("/usr/share/doc/two/copyright")).read_text() == "the licence of two\n"
        stray = root / "usr/lib/stray.so"
        stray.write_bytes(elf(183))
        try:
            machine.note(stray)
        except SystemExit as e:
            assert "stray.so is of no package" in str(e), e
        else:
            raise AssertionError("a file of no package was taken")
    print("PASS")


main()
