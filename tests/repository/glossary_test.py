#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The code speaks the words of docs/glossary.md.

- What the glossary says to be defined somewhere: that file is there.
- A private word (the glossary's last column) is no part of an identifier in src/.
- In a layer no two structures, unions or enumerations have one name; nor has one the name of another layer's in a
  header that layers share.

Exceptions are rows of glossary_exceptions.txt, each with its reason; a row that excepts nothing is an error.
With --self-test alone the rules are tried on sources that break them.
"""
import os
import re
import sys
from collections import defaultdict
from pathlib import Path

ROW = re.compile(r"^\| (?!term|---)(.+?) \| (.+?) \| `(.+?)` \| ?(.*?) ?\|$", re.M)
NOT_CODE = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|^\s*#\s*include[^\n]*', re.S | re.M)
NAMED = re.compile(r"^(?:static )?(?:const )?(?:struct|union|enum) (\w+) \{", re.M)


def words_of(text):
    """The words of a source's identifiers: none of comments and strings."""
    for name in set(re.findall(r"[A-Za-z_]\w*", NOT_CODE.sub(" ", text))):
        yield from name.lower().split("_")


def layer_of(path):
    return path.split("/")[1]


def shared_headers(sources):
    """Headers that a file of another layer includes."""
    return {f"src/{name}" for path, text in sources.items()
            for name in re.findall(r'^#include "([^"]+/[^"]+)"', text, re.M) if layer_of(path) != name.split("/")[0]}


def glossary(text):
    """[(term, file)], {private word}."""
    rows = ROW.findall(text)
    return [(term, file) for term, _, file, _ in rows], {w for row in rows for w in re.findall(r"`(\w+)`", row[3])}


def read_exceptions(text):
    """{(kind, word): [(prefix of paths, line)]}; kind: word or struct."""
    found = defaultdict(list)
    for line in text.splitlines():
        if line and line[0] != "#":
            kind, word, prefix, reason = line.split(None, 3)
            assert kind in ("word", "struct") and reason, line
            found[kind, word].append((prefix, line))
    return found


def errors(sources, private, exceptions):
    """sources: {path below the root: text}."""
    used, names = set(), defaultdict(set)

    def excepted(kind, word, path):
        hits = [line for prefix, line in exceptions.get((kind, word), ()) if path.startswith(prefix)]
        used.update(hits)
        return bool(hits)

    for path, text in sorted(sources.items()):
        for word in sorted(private & set(words_of(text))):
            if not excepted("word", word, path):
                yield f"{path}: an identifier has the private word \"{word}\" (docs/glossary.md)"
        for name in NAMED.findall(text):
            names[name].add(path)
    shared = shared_headers(sources)
    for name, paths in sorted(names.items()):
        layers = [layer_of(path) for path in paths]
        meet = [p for p in sorted(paths) if layers.count(layer_of(p)) > 1 or (len(paths) > 1 and paths & shared)]
        left = [path for path in meet if not excepted("struct", name, path)]
        if len(left) > 1:
            yield f"{name} is the name of several things: {', '.join(left)}"
    for rows in exceptions.values():
        for _, line in rows:
            if line not in used:
                yield f"an exception of nothing: {line}"


def self_test():
    sources = {"src/a/a.c": "struct one {\n};\nint calm_down; /* quiet */\n", "src/b/b.c": "struct one {\n};\n",
               "src/a/b.c": "struct one {\n};\nstruct two {\n};\n", "src/b/c.c": "struct two {\n};\n"}
    found = list(errors(sources, {"calm", "quiet"}, {}))
    assert len(found) == 2 and "calm" in found[0] and "one is the name" in found[1], found
    kept = read_exceptions("word calm src/a/ reason\nstruct one src/a/ reason\nword calm src/z/ reason\n")
    found = list(errors(sources, {"calm", "quiet"}, kept))
    assert len(found) == 1 and "nothing: word calm src/z/" in found[0], found


def main():
    self_test()
    if "--self-test" in sys.argv:
        return 0
    root, here = Path(os.environ["SOURCE_DIR"]), Path(__file__).parent
    defined, private = glossary((root / "docs/glossary.md").read_text())
    exceptions = read_exceptions((here / "glossary_exceptions.txt").read_text())
    sources = {str(p.relative_to(root)): p.read_text() for p in (root / "src").rglob("*.[ch]")}
    found = [f"docs/glossary.md: \"{term}\": there is no {file}" for term, file in defined if not (root / file).exists()]
    found += errors(sources, private, exceptions)
    for text in found:
        print(text, file=sys.stderr)
    return 1 if found or len(defined) < 20 or not private else 0


if __name__ == "__main__":
    sys.exit(main())
