#!/bin/sh
# Fills the folder $1 with the root file system of the sandbox image: Debian's Python and what it links to, copied from
# this machine. `launchers/docker/build.sh` runs it and imports the result; the image's tag is the hash of this file.
set -eu
root=$1
python=$(readlink -f /usr/bin/python3)
version=$("$python" -c 'import sys; print(f"python{sys.version_info[0]}.{sys.version_info[1]}")')
mkdir -p "$root/usr/bin" "$root/usr/lib" "$root/tmp" "$root/proc" "$root/dev" "$root/etc" "$root/lib64"
ln -sf usr/lib "$root/lib"
cp "$python" "$root/usr/bin/python3"
cp -a "/usr/lib/$version" "$root/usr/lib/"
rm -rf "$root/usr/lib/$version/test" "$root/usr/lib/$version/ensurepip" "$root/usr/lib/$version/idlelib"
{
    ldd "$python"
    find "/usr/lib/$version/lib-dynload" -name '*.so' -exec ldd {} +
} | awk '$2 == "=>" && $3 ~ /^\// { print $3 } $1 ~ /^\// && $1 !~ /:$/ { print $1 }' | sort -u | while read -r library; do
    mkdir -p "$root$(dirname "$library")"
    cp -L "$library" "$root$library"
done
for library in libgcc_s.so.1 libnss_files.so.2; do
    found=$(find /lib /usr/lib -name "$library" 2>/dev/null | head -n 1)
    [ -z "$found" ] || cp -L "$found" "$root/usr/lib/"
done
echo 'nobody:x:65534:65534:nobody:/tmp:/bin/false' >"$root/etc/passwd"
echo 'nogroup:x:65534:' >"$root/etc/group"
chmod -R u+w,go+rX "$root"
chmod 1777 "$root/tmp"
