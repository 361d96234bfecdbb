#!/bin/sh
# Makes the secrets of compose.yaml in the folder $1, each once: what is there stays.
set -eu

folder=${1:-deploy/secrets}
umask 077
mkdir -p "$folder"
cd "$folder"
# Read by the programs in the containers, whose users have other numbers; the folder is closed.
keep() {
    if [ ! -e "$1" ]; then
        cat >"$1.new"
        chmod 0444 "$1.new"
        mv "$1.new" "$1"
    else
        cat >/dev/null
    fi
}
random() { od -An -N"$1" -tx1 /dev/urandom | tr -d ' \n'; }

random 40 | keep secret_key

# A Fernet key: 32 random bytes in URL-safe base64.
head -c 32 /dev/urandom | base64 | tr '+/' '-_' | tr -d '\n' | keep field_encryption_keys
random 24 | keep owner_password
random 24 | keep role_password
random 24 | keep redis_password
cat <<EOF | keep role.sql
CREATE ROLE toolbuilder LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE PASSWORD '$(cat role_password)';
ALTER DATABASE toolbuilder OWNER TO toolbuilder;
ALTER SCHEMA public OWNER TO toolbuilder;
EOF
printf 'postgresql://toolbuilder:%s@postgres:5432/toolbuilder' "$(cat role_password)" | keep database_url
printf 'redis://:%s@valkey:6379/0' "$(cat redis_password)" | keep redis_url
cat <<EOF | keep valkey.conf
dir /data
appendonly yes
maxmemory-policy noeviction
requirepass $(cat redis_password)
EOF
echo "Secrets are in $(pwd). Keep field_encryption_keys in a backup of its own."
