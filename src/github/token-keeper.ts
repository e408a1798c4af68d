/** Tokens that are lent again for as long as they are good, and taken back once nobody uses them any more. */
import { statusOf } from './response-errors.ts';
import type { MintedToken } from './tokens.ts';

interface Kept {
  readonly minted: Promise<MintedToken>;
  /** How many works have it at the moment. */
  users: number;
  /** Whether GitHub has answered 401 to it. */
  isRefused: boolean;
  isReplaced: boolean;
}

export interface TokenKeeper {
  /** Does `work` with the key's token, minted where none is good. */
  lend<T>(key: string, mint: () => Promise<MintedToken>, work: (minted: MintedToken) => Promise<T>): Promise<T>;
  /** Takes back what is kept, in use or not. Resolves when every token has been given to `takeBack`. */
  close(): Promise<void>;
}

/** @param isGood whether a token will last for a work that begins now */
export function createTokenKeeper(
  takeBack: (token: string) => void,
  isGood: (minted: MintedToken) => boolean,
): TokenKeeper {
  const kept = new Map<string, Kept>();
  const start = (key: string, mint: () => Promise<MintedToken>): Kept => {
    const entry: Kept = { minted: mint(), users: 0, isRefused: false, isReplaced: false };
    kept.set(key, entry);
    entry.minted.catch(() => {
      if (kept.get(key) === entry) kept.delete(key);
    });
    return entry;
  };
  const letGo = async (entry: Kept): Promise<void> => {
    entry.users -= 1;
    // A work that is under way may still need what has been replaced.
    if (entry.isReplaced && entry.users === 0) takeBack((await entry.minted).token);
  };
  const hold = async (key: string, mint: () => Promise<MintedToken>): Promise<Kept> => {
    const known = kept.get(key) ?? start(key, mint);
    known.users += 1;
    if (isGood(await known.minted) && !known.isRefused) return known;
    const current = kept.get(key);
    const next = current === undefined || current === known ? start(key, mint) : current;
    next.users += 1;
    known.isReplaced = true;
    await letGo(known);
    return next;
  };
  return {
    lend: async (key, mint, work) => {
      const entry = await hold(key, mint);
      const minted = await entry.minted;
      try {
        return await work(minted);
      } catch (error) {
        if (statusOf(error) === 401) entry.isRefused = true;
        throw error;
      } finally {
        await letGo(entry);
      }
    },
    close: async () => {
      const all = [...kept.values()];
      kept.clear();
      const ended = all.map(({ minted }) => minted.then(({ token }) => takeBack(token), ignore));
      await Promise.all(ended);
    },
  };
}

/** What was not minted need not be taken back. */
function ignore(): void {}
