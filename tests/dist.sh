#!/bin/sh
# dist.sh [FOLDER] - the tree as its last commit has it, as a package of sources, in FOLDER (build/dist):
#
#   biostream-VERSION.tar.gz          equal commits make equal files
#   biostream-VERSION.tar.gz.sha256   for `sha256sum -c`
#   biostream.wrap, packagefiles/, biostream.rb, recipe.yaml
#                                     those of examples/packages that name the package by its address and checksum
#
#   URL        where the package will be found; else where it lies here
#   HOMEPAGE   of the project; else where the package is
#   COMMIT     another commit than the last
set -eu
folder=${1:-build/dist}
version=$(sh tests/version.sh)
commit=$(git rev-parse --verify -q "${COMMIT:-HEAD}^{commit}") || {
    echo "make dist: the package is made from a commit, and git finds none here" >&2
    exit 1
}
test -z "$(git status --porcelain)" || echo "make dist: what is not committed is left out" >&2
rm -rf "$folder"
mkdir -p "$folder"
name=biostream-$version
git archive --format=tar --prefix="$name/" "$commit" | gzip -9n > "$folder/$name.tar.gz"

# What computes checksums is called differently on each system.
cd "$folder"
for command in sha256sum 'shasum -a 256' 'openssl dgst -sha256 -r'; do
    ! command -v "${command%% *}" > /dev/null || break
done
sum=$($command "$name.tar.gz" | cut -c 1-64)
echo "$sum  $name.tar.gz" > "$name.tar.gz.sha256"
url=${URL:-file://$PWD/$name.tar.gz}
homepage=${HOMEPAGE:-${url%/*}}
cd "$OLDPWD"
for template in meson/biostream.wrap conda/recipe.yaml homebrew/biostream.rb; do
    sed -e "s|@VERSION@|$version|g" -e "s|@URL@|$url|g" -e "s|@SHA256@|$sum|g" -e "s|@HOMEPAGE@|$homepage|g" \
        "examples/packages/$template.in" > "$folder/${template#*/}"
done
cp -R examples/packages/meson/packagefiles "$folder/"
echo "$folder/$name.tar.gz: $sum"
