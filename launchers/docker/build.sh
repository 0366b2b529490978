#!/bin/sh
# Builds the image of `sandbox=docker` without a registry: `launchers/docker/build.sh [PYTHON]`. Does nothing where the
# engine has it already.
set -eu
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
package="$here/../../rlpt/sandbox"
tag="rlpt-sandbox:$(sha256sum "$package/image_recipe.sh" | cut -c1-12)"
if ! docker version >/dev/null 2>&1; then
    echo "No Docker engine answers; start it (dockerd, or systemctl start docker) and run this again." >&2
    exit 2
fi
if docker image inspect "$tag" >/dev/null 2>&1; then
    echo "$tag is there already"
    exit 0
fi
if [ ! -x /usr/bin/python3 ]; then
    echo "The image is made of Debian's Python, which is not here; run apt-get install python3 and this again." >&2
    exit 2
fi
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
sh "$package/image_recipe.sh" "$root"
tar -C "$root" --numeric-owner --owner=0 --group=0 -c . | docker import --change 'CMD ["python3"]' - "$tag" >/dev/null
docker run --rm --network none "$tag" python3 -I -S -c 'import ssl, json, ctypes, select, resource' ||
    { docker rmi "$tag" >/dev/null; echo "The image does not run Python; see above." >&2; exit 1; }
echo "built $tag"
