/** Which installations tokens are minted for, and who is told of each. */
import { Forbidden } from './github.ts';

/** A token, without its value. */
export interface MintNote {
  /** The thread that it is first used for; `null` for one that finds threads. */
  readonly thread: string | null;
  readonly installation: number;
  /** `null`: every repository of the installation. */
  readonly repository: number | null;
  readonly use: string;
  readonly permissions: Readonly<Record<string, string>>;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

export interface Minting {
  /** `null` for every one. */
  readonly installations: ReadonlySet<number> | null;
  /** Before the token is used. Where it throws, the token is taken back unused. */
  readonly onMint: (note: MintNote) => Promise<void>;
}

export const everyInstallation: Minting = { installations: null, onMint: async () => undefined };

export function isServed({ installations }: Pick<Minting, 'installations'>, installation: number): boolean {
  return installations === null || installations.has(installation);
}

/** @throws {Forbidden} */
export function requireServed(minting: Minting, installation: number): void {
  if (isServed(minting, installation)) return;
  throw new Forbidden(
    `expected an installation of PLANWRIGHT_INSTALLATIONS, got ${installation}; list it there, or uninstall the app`,
    null,
  );
}
