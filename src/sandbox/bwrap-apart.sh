#!/bin/sh
# What the runtime does not ask of the sandbox's program: IPC and a host name of its own, a filter for the calls that no
# namespace holds, and the kernel's settings read-only, which root of the host may write from every namespace.
placed=
for argument do
  shift
  if [ "$argument" = -- ] && [ -z "$placed" ]; then
    set -- "$@" --ro-bind /proc/sys /proc/sys
    placed=yes
  fi
  set -- "$@" "$argument"
done
exec bwrap --unshare-ipc --unshare-uts --seccomp 9 "$@" 9< "$PLANWRIGHT_CALL_FILTER"
