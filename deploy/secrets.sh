#!/bin/sh
# Make the secrets of compose.yaml, each in a file of its own below deploy/secrets/. Those that exist are kept.
set -eu
cd "$(dirname "$0")"
umask 077
mkdir -p secrets
cd secrets

random() { LC_ALL=C tr -dc 'A-Za-z0-9' </dev/urandom | head -c "${1:-40}"; }
# Others than the owner may read a file, since it is read as another user inside; nobody else may enter the folder.
keep() { [ -s "$1" ] || { cat >"$1.new" && chmod 0444 "$1.new" && mv "$1.new" "$1"; }; }

random | keep postgres_password
random | keep application_password
random | keep valkey_password
random | keep minio_root_password
random 60 | keep secret_key
random 60 | keep secrets_keys
random | keep metrics_token

superuser=$(cat postgres_password) application=$(cat application_password) valkey=$(cat valkey_password)
printf 'postgresql://postgres:%s@postgres:5432/postgres' "$superuser" | keep provision_database_url
printf 'postgresql://antecedent:%s@postgres:5432/antecedent' "$application" | keep database_url_direct
printf 'postgresql://antecedent:%s@pgbouncer:6432/antecedent' "$application" | keep database_url
printf 'postgresql://postgres:%s@postgres:5432/antecedent' "$superuser" | keep backup_database_url
printf '"antecedent" "%s"\n' "$application" | keep pgbouncer_userlist
printf 'redis://:%s@valkey:6379/0' "$valkey" | keep valkey_url
printf 'requirepass %s\nappendonly yes\nappendfsync everysec\nmaxmemory-policy noeviction\ndir /data\n' "$valkey" \
  | keep valkey_conf
printf '[default]\naws_access_key_id = antecedent\naws_secret_access_key = %s\n' "$(cat minio_root_password)" \
  | keep s3_credentials
[ -e openai_api_key ] || { : >openai_api_key && chmod 0444 openai_api_key; }
echo "secrets are in $(pwd)"
