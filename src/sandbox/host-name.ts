/**
 * Names of hosts that commands may be let through to. A name is compared as it stands with what is dialled, so that only one
 * spelling is taken.
 *
 * 1. A NUL, `%`, or a name and password before it make one program see another host than the next.
 * 2. A trailing dot, capitals and letters beyond ASCII are further spellings of a host.
 * 3. Addresses in figures, in any of their forms, say nothing of whose they are; no last part of a name begins with a figure.
 * 4. A wildcard lets through whatever somebody adds beneath it.
 * 5. Names of the host itself and of the network that it stands in lead past the network's own door.
 */
const MAX_LENGTH = 253;
const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
const pattern = new RegExp(`^(?:${label}\\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])$`);
const ownNames = /(?:^|\.)(?:localhost|localdomain|local|internal|intranet|lan|home|corp|arpa|onion)$/;

/** As *expected X* says it. */
export const hostNameRule =
  'the exact name of a host on the internet in lower-case ASCII, without a port, a wildcard, "%", "@" or a dot at its end';

export function isHostName(text: string): boolean {
  return text.length <= MAX_LENGTH && pattern.test(text) && !ownNames.test(text);
}
