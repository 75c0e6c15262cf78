#!/bin/sh
# Restore a backup into an empty database, and its files into an empty folder.
#
#   RESTORE_DATABASE_URL=postgresql://superuser:…@host/antecedent  restore.sh BACKUP ROLE [BLOBS]
#
# ROLE is the application's: it will own everything, as `antecedent provision` left it. Nothing is overwritten; a database
# that has tables is refused. Afterwards: antecedent audit_verify, antecedent isolation_selftest (docs/operating.md).
set -eu

backup=${1:?usage: restore.sh BACKUP ROLE [BLOBS]}
role=${2:?usage: restore.sh BACKUP ROLE [BLOBS]}
blobs=${3:-}
url=${RESTORE_DATABASE_URL:?}

(cd "$backup" && sha256sum --quiet --check SHA256SUMS)
tables=$(psql "$url" -XAtc "select count(*) from pg_tables where schemaname = 'public'")
[ "$tables" = 0 ] || { echo "the database has $tables tables already" >&2; exit 1; }

# The extension is the superuser's; what is left of the list is made by and for the application's role.
grep -v -E ' (EXTENSION|COMMENT) - ' "$backup/database.list" >"${TMPDIR:-/tmp}/restore.$$"
trap 'rm -f "${TMPDIR:-/tmp}/restore.$$"' EXIT
psql "$url" -XqAt -c 'create extension if not exists vector'
pg_restore --exit-on-error --no-owner --no-privileges --role="$role" --single-transaction \
  --use-list="${TMPDIR:-/tmp}/restore.$$" --dbname="$url" "$backup/database.dump"
psql "$url" -Xqc analyze
if [ -n "$blobs" ]; then
  mkdir -p "$blobs"
  [ -z "$(ls -A "$blobs")" ] || { echo "$blobs is not empty" >&2; exit 1; }
  tar -C "$blobs" -xf "$backup/blobs.tar"
fi
echo "restored; now: antecedent audit_verify && antecedent isolation_selftest"
