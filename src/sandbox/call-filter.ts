/**
 * A filter of system calls that the kernel has no namespace for, beside the runtime's own against local sockets, to which
 * nothing can be added. bwrap takes one as bytes alone. They are put together here because libseccomp, which would be the
 * safer way, has no kept binding for Node; so the program is the simplest that holds: one comparison a call, and no branch but
 * to its end. A wrong number leaves a call open, as it is without the filter; nothing else that confines a command rests on it.
 *
 * 1. Keys of the kernel's key rings are the user's, whatever the namespace: one run would read what another, or the
 *    host, has put there.
 * 2. Rings and programs that the kernel runs for a process do what no other filter sees.
 * 3. Page faults and counters in a process's own hands are what attacks on the kernel are made of.
 * 4. Modules, clocks, power and swap are the machine's: no right to them is left, and none is asked about.
 * 5. The second set of call numbers on x86-64, and those of other machines, would pass by a list of numbers.
 */
import { randomBytes } from 'node:crypto';
import { closeSync, openSync, unlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';

interface Machine {
  /** AUDIT_ARCH_… of linux/audit.h. */
  readonly audit: number;
  readonly refused: readonly number[];
}

/** Numbers that are the same everywhere: io_uring_setup, io_uring_enter, io_uring_register. */
const RINGS = [425, 426, 427] as const;

/**
 * In both: add_key, request_key, keyctl · bpf, perf_event_open, userfaultfd · kexec_load, kexec_file_load, init_module,
 * finit_module, delete_module · open_by_handle_at, acct, quotactl, syslog · reboot, swapon, swapoff, settimeofday,
 * clock_settime, clock_adjtime, adjtimex. Source: the kernel's syscall_64.tbl and asm-generic/unistd.h.
 */
const MACHINES: Readonly<Record<string, Machine>> = {
  x64: {
    audit: 0xc000003e,
    refused: [
      ...[248, 249, 250, 321, 298, 323, 246, 320, 175, 313, 176, 304, 163, 179, 103],
      ...[169, 167, 168, 164, 227, 305, 159],
      ...RINGS,
    ],
  },
  arm64: {
    audit: 0xc00000b7,
    refused: [
      ...[217, 218, 219, 280, 241, 282, 104, 294, 105, 273, 106, 265, 89, 60, 116],
      ...[142, 224, 225, 170, 112, 266, 171],
      ...RINGS,
    ],
  },
};

// Of linux/bpf_common.h and linux/seccomp.h.
const LOAD = 0x20;
const IF_EQUAL = 0x15;
const IF_AT_LEAST = 0x35;
const RETURN = 0x06;
const ALLOW = 0x7fff0000;
const KILL = 0x80000000;
const REFUSE = 0x00050001;
const AT_NUMBER = 0;
const AT_MACHINE = 4;
const SECOND_SET = 0x40000000;

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, value: number];

function encode(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * 8);
  program.forEach(([code, ifTrue, ifFalse, value], index) => {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(ifTrue, index * 8 + 2);
    bytes.writeUInt8(ifFalse, index * 8 + 3);
    bytes.writeUInt32LE(value, index * 8 + 4);
  });
  return bytes;
}

/** The filter as the kernel takes it; `null` on a machine whose numbers are not known. */
export function callFilter(machine: string): Buffer | null {
  const known = MACHINES[machine];
  if (known === undefined) return null;
  const { audit, refused } = known;
  return encode([
    [LOAD, 0, 0, AT_MACHINE],
    [IF_EQUAL, 1, 0, audit],
    [RETURN, 0, 0, KILL],
    [LOAD, 0, 0, AT_NUMBER],
    [IF_AT_LEAST, refused.length + 1, 0, SECOND_SET],
    // Each leads behind those that follow it, and behind the word that allows.
    ...refused.map((number, index): Instruction => [IF_EQUAL, refused.length - index, 0, number]),
    [RETURN, 0, 0, ALLOW],
    [RETURN, 0, 0, REFUSE],
  ]);
}

export interface CallFilter {
  /** Where each command reads the filter from its beginning. */
  readonly place: string;
  close(): void;
}

/**
 * Holds the filter open without a name on disk: nothing is left of it, and no command can change it.
 * @param folder where it may be written @throws on a machine whose numbers are not known
 */
export function openCallFilter(folder: string): CallFilter {
  const filter = callFilter(process.arch);
  if (filter === null) throw new Error(`system calls of ${process.arch} cannot be filtered`);
  const name = path.join(folder, `call-filter-${randomBytes(8).toString('hex')}`);
  writeFileSync(name, filter, { mode: 0o600, flag: 'wx' });
  try {
    const file = openSync(name, 'r');
    return { place: `/proc/${process.pid}/fd/${file}`, close: () => closeSync(file) };
  } finally {
    unlinkSync(name);
  }
}
