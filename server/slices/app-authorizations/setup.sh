#!/bin/sh
# Sets up a program for this gateway: gets a key that you allow in the browser, and writes the program's settings.
#
#   curl -fsSL @ADDRESS@/setup.sh | sh -s -- claude-code
#
# Programs: claude-code, codex, gemini-cli, env (a file of exports for SDKs).
# Options: --model NAME, --small-model NAME, --dry-run (shows what would be written, with a placeholder instead of a key).
# A file that exists is copied before it is changed.
set -eu
umask 077

main() {
  address='@ADDRESS@'
  program='' model='' small='' dry=''
  while [ $# -gt 0 ]; do
    case $1 in
      --model) [ $# -gt 1 ] || fail '--model needs a name'; model=$2; shift ;;
      --small-model) [ $# -gt 1 ] || fail '--small-model needs a name'; small=$2; shift ;;
      --dry-run) dry=1 ;;
      -*) fail "unknown option $1" ;;
      *) [ -z "$program" ] || fail 'name one program'; program=$1 ;;
    esac
    shift
  done
  case $program in
    claude-code) title='Claude Code' ;;
    codex) title='Codex' ;;
    gemini-cli) title='Gemini CLI' ;;
    env) title='Environment file' ;;
    *) fail "usage: curl -fsSL $address/setup.sh | sh -s -- claude-code|codex|gemini-cli|env [--model NAME]" ;;
  esac
  check_text "$model"
  check_text "$small"
  command -v curl >/dev/null 2>&1 || fail 'curl is required'
  [ -n "${HOME:-}" ] || fail 'HOME is not set'
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  trap 'exit 130' INT TERM
  # Before a key is requested: a file that cannot be changed is found out now.
  prepare
  if [ -n "$dry" ]; then key='sk-YOUR-KEY'; else get_key; fi
  write_settings
  [ -n "$dry" ] || say "Done. The key is listed at $address/apps, where you can end it."
}

say() { printf '%s\n' "$*" >&2; }
fail() { say "setup: $*"; exit 1; }

# Names of models stand in JSON, TOML and shell files.
check_text() {
  case $1 in *[!A-Za-z0-9._:/@+-]*) fail "the name of the model has a character that is not supported: $1" ;; esac
}

prepare() {
  case $program in
    claude-code) check_json "${CLAUDE_CONFIG_DIR:-$HOME/.claude}/settings.json" ;;
    gemini-cli) check_json "$HOME/.gemini/settings.json" ;;
  esac
}

# ---- The key -------------------------------------------------------------------------------------------------------------

field() { sed -n "s/.*\"$1\":\"\\{0,1\\}\\([^\",}]*\\).*/\\1/p" "$2"; }

post() { # path; the form is read from stdin, so that no list of processes shows it
  curl -sS -o "$work/reply" -w '%{http_code}' -H 'content-type: application/x-www-form-urlencoded' --data @- "$address$1"
}

get_key() {
  machine=$(uname -n 2>/dev/null | tr -cd 'A-Za-z0-9._-' || true)
  plain_title=$(printf '%s' "$title" | tr ' ' '+')
  status=$(printf 'client_id=tidegate-setup-%s&client_name=%s' "$program" "$plain_title+($machine)" | post /oauth/device_authorization) ||
    fail "$address cannot be reached"
  [ "$status" = 200 ] || fail "the server refused: $(cat "$work/reply")"
  device_code=$(field device_code "$work/reply")
  user_code=$(field user_code "$work/reply")
  page=$(field verification_uri_complete "$work/reply")
  interval=$(field interval "$work/reply")
  [ -n "$device_code" ] && [ -n "$interval" ] || fail 'the server sent no code'
  say ''
  say "Open this page and allow the key for $title:"
  say "    $page"
  say "Check that it shows this code:  $user_code"
  say ''
  while :; do
    sleep "$interval"
    status=$(printf 'grant_type=urn:ietf:params:oauth:grant-type:device_code&client_id=tidegate-setup-%s&device_code=%s' "$program" "$device_code" |
      post /oauth/token) || continue
    if [ "$status" = 200 ]; then break; fi
    case $(field error "$work/reply") in
      authorization_pending) ;;
      slow_down) interval=$((interval + 5)) ;;
      access_denied) fail 'you refused the key; nothing was written' ;;
      expired_token) fail 'the code has expired; nothing was written' ;;
      temporarily_unavailable | server_error) ;;
      *) fail "the server refused: $(cat "$work/reply")" ;;
    esac
  done
  key=$(field access_token "$work/reply")
  rm -f "$work/reply"
  [ -n "$key" ] || fail 'the server sent no key'
}

# ---- Files ---------------------------------------------------------------------------------------------------------------

# Shows the new text of a file, the key masked, and writes it; the old file is copied first.
install_file() { # file, new text
  file=$1
  say "--- $file"
  sed "s/$key/$(printf '%s' "$key" | cut -c1-7)…/g" "$2" >&2
  say '---'
  [ -z "$dry" ] || return 0
  mkdir -p "$(dirname "$file")"
  if [ -e "$file" ]; then
    copy="$file.before-tidegate-$(date +%Y%m%d%H%M%S)"
    number=1
    while [ -e "$copy" ]; do copy="$file.before-tidegate-$(date +%Y%m%d%H%M%S)-$number"; number=$((number + 1)); done
    cp -p "$file" "$copy"
    chmod 600 "$copy"
    say "The file as it was: $copy"
  fi
  # Not moved over the old one, which may be a link.
  cat "$2" >"$file"
  chmod 600 "$file"
}

json_tool() {
  if command -v node >/dev/null 2>&1; then echo node
  elif command -v python3 >/dev/null 2>&1; then echo python3
  elif command -v jq >/dev/null 2>&1; then echo jq
  fi
}

# Merges the objects of two files into a third.
merge_json() { # old, added, result
  case $(json_tool) in
    node) node -e '
      const { readFileSync, writeFileSync } = require("fs");
      const [, old, added, result] = process.argv;
      const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
      const merge = (one, two) => {
        if (!isObject(one) || !isObject(two)) return two;
        const all = { ...one };
        for (const name of Object.keys(two)) all[name] = Object.hasOwn(one, name) ? merge(one[name], two[name]) : two[name];
        return all;
      };
      const base = JSON.parse(readFileSync(old, "utf8").replace(/^\uFEFF/, ""));
      if (!isObject(base)) process.exit(1);
      writeFileSync(result, JSON.stringify(merge(base, JSON.parse(readFileSync(added, "utf8"))), null, 2) + "\n");
    ' "$1" "$2" "$3" 2>/dev/null ;;
    python3) python3 -c '
import json, sys
def merge(one, two):
    if not (isinstance(one, dict) and isinstance(two, dict)): return two
    return {**one, **{name: merge(one[name], two[name]) if name in one else two[name] for name in two}}
with open(sys.argv[1], encoding="utf-8-sig") as old, open(sys.argv[2], encoding="utf-8") as added: base, more = json.load(old), json.load(added)
if not isinstance(base, dict): sys.exit(1)
with open(sys.argv[3], "w", encoding="utf-8") as result: result.write(json.dumps(merge(base, more), indent=2, ensure_ascii=False) + "\n")
    ' "$1" "$2" "$3" 2>/dev/null ;;
    jq) jq -s 'if (.[0] | type) == "object" then .[0] * .[1] else error("no object") end' "$1" "$2" >"$3" 2>/dev/null ;;
    *) return 1 ;;
  esac
}

check_json() { # file
  [ -s "$1" ] || return 0
  printf '{}' >"$work/none"
  merge_json "$1" "$work/none" "$work/checked" ||
    fail "$1 cannot be changed: it is not plain JSON, or none of node, python3 and jq is installed. Nothing was written."
}

set_json() { # file, added
  if [ -s "$1" ]; then merge_json "$1" "$2" "$work/merged" || fail "$1 cannot be changed"; else cat "$2" >"$work/merged"; fi
  install_file "$1" "$work/merged"
}

# ---- Programs ------------------------------------------------------------------------------------------------------------

write_settings() {
  case $program in
    claude-code) write_claude_code ;;
    codex) write_codex ;;
    gemini-cli) write_gemini_cli ;;
    env) write_env ;;
  esac
}

write_claude_code() {
  {
    printf '{\n  "env": {\n    "ANTHROPIC_BASE_URL": "%s",\n    "ANTHROPIC_AUTH_TOKEN": "%s"' "$address" "$key"
    if [ -n "$model" ]; then
      printf ',\n    "ANTHROPIC_MODEL": "%s",\n    "ANTHROPIC_DEFAULT_SONNET_MODEL": "%s",\n    "ANTHROPIC_DEFAULT_OPUS_MODEL": "%s"' "$model" "$model" "$model"
      printf ',\n    "ANTHROPIC_DEFAULT_HAIKU_MODEL": "%s"' "${small:-$model}"
    fi
    printf '\n  }\n}\n'
  } >"$work/added"
  set_json "${CLAUDE_CONFIG_DIR:-$HOME/.claude}/settings.json" "$work/added"
}

write_codex() {
  config="${CODEX_HOME:-$HOME/.codex}/config.toml"
  old=$config
  [ -e "$old" ] || old=/dev/null
  {
    printf '# >>> tidegate\nmodel_provider = "tidegate"\n'
    [ -z "$model" ] || printf 'model = "%s"\n' "$model"
    printf '# <<< tidegate\n'
    # Without what an earlier run wrote; keys of the same name at the top become comments.
    awk -v has_model="$model" '
      /^# >>> tidegate/ { ours = 1 }
      ours { if (/^# <<< tidegate/) ours = 0; next }
      /^[ \t]*\[/ { table = 1; own = ($0 ~ /^[ \t]*\[[ \t]*model_providers\.tidegate[ \t.\]]/) }
      own { next }
      !table && (/^[ \t]*model_provider[ \t]*=/ || (has_model != "" && /^[ \t]*model[ \t]*=/)) { print "# " $0; next }
      { print }
    ' "$old"
    printf '# >>> tidegate\n[model_providers.tidegate]\nname = "Tidegate"\nbase_url = "%s/v1"\nwire_api = "responses"\n' "$address"
    printf 'experimental_bearer_token = "%s"\n# <<< tidegate\n' "$key"
  } >"$work/codex"
  install_file "$config" "$work/codex"
}

write_gemini_cli() {
  printf '{\n  "security": { "auth": { "selectedType": "gemini-api-key" } }\n}\n' >"$work/added"
  set_json "$HOME/.gemini/settings.json" "$work/added"
  old="$HOME/.gemini/.env"
  [ -e "$old" ] || old=/dev/null
  {
    awk '!/^[ \t]*(export[ \t]+)?(GOOGLE_GEMINI_BASE_URL|GEMINI_API_KEY)[ \t]*=/' "$old" |
      if [ -n "$model" ]; then awk '!/^[ \t]*(export[ \t]+)?GEMINI_MODEL[ \t]*=/'; else cat; fi
    printf 'GOOGLE_GEMINI_BASE_URL=%s\nGEMINI_API_KEY=%s\n' "$address" "$key"
    [ -z "$model" ] || printf 'GEMINI_MODEL=%s\n' "$model"
  } >"$work/gemini"
  install_file "$HOME/.gemini/.env" "$work/gemini"
}

write_env() {
  file="${XDG_CONFIG_HOME:-$HOME/.config}/tidegate/env"
  {
    printf "export OPENAI_BASE_URL='%s/v1'\nexport OPENAI_API_KEY='%s'\n" "$address" "$key"
    printf "export ANTHROPIC_BASE_URL='%s'\nexport ANTHROPIC_AUTH_TOKEN='%s'\n" "$address" "$key"
    printf "export GOOGLE_GEMINI_BASE_URL='%s'\nexport GEMINI_API_KEY='%s'\n" "$address" "$key"
  } >"$work/env"
  install_file "$file" "$work/env"
  say "In your shell:  . '$file'"
}

# The whole script has arrived before anything runs.
main "$@"
