/**
 * One world for the files of a process that want the same settings: an app takes as long to start as many a scene to play.
 * What a file does there it does to repositories of its own. A file that ends the app opens a world of its own.
 */
import { openWorld, type World } from './world.ts';

export interface SharedWorld {
  /** With the file's transcripts put before those of the files before it. */
  open(): Promise<World>;
  /** The last one to leave closes the world. */
  leave(): Promise<void>;
}

export interface SharedWorldOptions {
  readonly transcripts: Parameters<World['model']['add']>[0];
  /** Put over the environment that an operator gives the app. */
  readonly environment?: Readonly<Record<string, string>>;
}

interface Shared {
  users: number;
  world: Promise<World> | null;
}

const shared = new Map<string, Shared>();

/** For a file to call as it is loaded: all files of a process are before the first of their scenes is played. */
export function shareWorld({ transcripts, environment = {} }: SharedWorldOptions): SharedWorld {
  const key = JSON.stringify(environment);
  const place = shared.get(key) ?? { users: 0, world: null };
  shared.set(key, place);
  place.users += 1;
  return {
    open: async () => {
      place.world ??= openWorld({ transcripts: [], environment: () => environment });
      const world = await place.world;
      world.model.add(transcripts);
      return world;
    },
    leave: async () => {
      place.users -= 1;
      if (place.users > 0) return;
      const world = place.world;
      place.world = null;
      await (await world)?.close();
    },
  };
}
