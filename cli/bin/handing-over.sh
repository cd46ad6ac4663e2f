#!/bin/sh
# Runs a program of ours in an environment that anybody may read: `handing-over.sh node …`.
#
# /proc/PID/environ shows every process of the same user what a process was started with, for as long as it lives, and nothing in a
# process can take anything out of it. So the whole environment goes into a file without a name, descriptor 9, and what is harmless
# stays besides. `handed-over.mjs` reads the rest. This shell becomes the program: no process is left that still has all of it.

# True once the file is there. /dev/shm is in memory.
handed_over() {
  for folder in /dev/shm "${TMPDIR:-/tmp}"; do
    file=$(umask 077 && mktemp "$folder/stopgo.XXXXXX" 2>/dev/null) || continue
    env -0 2>/dev/null >"$file" && exec 9<"$file"
    rm -f "$file"
    [ -r /proc/self/fd/9 ] && return 0
  done
  return 1
}

# Where there is no /proc, environments are shown in other ways or not at all; then nothing is changed.
if [ -r /proc/self/environ ] && handed_over; then
  for name in $(env | sed -n 's/^\([A-Za-z_][A-Za-z0-9_]*\)=.*/\1/p'); do
    case $name in
      PATH | HOME | USER | LOGNAME | SHELL | PWD | HOSTNAME | TERM | COLORTERM | NO_COLOR | FORCE_COLOR) ;;
      LANG | LANGUAGE | LC_* | TZ | TMPDIR | XDG_*) ;;
      # What Node and its libraries look at before any of our code runs; the address of a proxy may hold a password.
      NODE_OPTIONS | NODE_EXTRA_CA_CERTS | NODE_USE_ENV_PROXY | NODE_V8_COVERAGE | NODE_CHANNEL_FD) ;;
      NODE_CHANNEL_SERIALIZATION_MODE | UV_THREADPOOL_SIZE | OPENSSL_CONF | SSL_CERT_FILE | SSL_CERT_DIR) ;;
      LD_LIBRARY_PATH | LD_PRELOAD | MALLOC_* | *_proxy | *_PROXY) ;;
      # What starts and ends us goes by them.
      npm_command | npm_lifecycle_event | npm_package_json | STOPGO_LAUNCHED_FOR) ;;
      *) unset "$name" ;;
    esac
  done
  STOPGO_ENVIRONMENT_FD=9
  export STOPGO_ENVIRONMENT_FD
fi
exec "$@"
