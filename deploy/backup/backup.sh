#!/bin/sh
# Back up the database, and the uploaded files where they lie in a folder, to a folder of this moment below DIR.
#
#   BACKUP_DATABASE_URL=postgresql://backup:…@host/antecedent  backup.sh DIR [BLOBS]
#
# The role has to pass row-level security (a superuser, or `bypassrls` with pg_read_all_data): the application's own
# would leave rows out, and pg_dump refuses it. Files in a bucket are kept by the bucket's versions and copies instead.
# A dump is one snapshot; files are copied after it, so that no document of the dump lacks its file.
set -eu

target=${1:?usage: backup.sh DIR [BLOBS]}
blobs=${2:-}
kept=${BACKUP_KEPT:-14}
moment=$(date -u +%Y%m%dT%H%M%SZ)
unfinished="$target/.$moment"

umask 077
mkdir -p "$unfinished"
trap 'rm -rf "$unfinished"' EXIT INT TERM
pg_dump --format=custom --no-owner --no-privileges --file="$unfinished/database.dump" "${BACKUP_DATABASE_URL:?}"
pg_restore --list "$unfinished/database.dump" >"$unfinished/database.list"
[ -z "$blobs" ] || tar -C "$blobs" -cf "$unfinished/blobs.tar" .
(cd "$unfinished" && sha256sum -- * >SHA256SUMS)
mv "$unfinished" "$target/$moment"
trap - EXIT INT TERM

# The newest stay; anything that is not named like a backup is left alone.
find "$target" -mindepth 1 -maxdepth 1 -type d -name '2???????T??????Z' | sort -r | tail -n "+$((kept + 1))" \
  | while read -r old; do rm -rf "$old"; done
echo "$target/$moment"
