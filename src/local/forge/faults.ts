/** Faults on demand: what a test makes the forge do to chosen requests. */

export interface FaultRequest {
  readonly method: string;
  /** Path with its query, e.g. `/api/v3/app` or `/acme/shop.git/git-receive-pack`. */
  readonly path: string;
  readonly body: unknown;
}

export type FaultEffect =
  /** Answers so, without doing anything. */
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: unknown;
    }
  /** Does what was asked, then answers as if it had failed. */
  | { readonly kind: 'performThenStatus'; readonly status: number }
  /** Waits, then does and answers as usual. */
  | { readonly kind: 'delay'; readonly ms: number }
  /** Closes the connection without an answer; with `perform` after doing what was asked. */
  | { readonly kind: 'cut'; readonly perform?: boolean };

interface Fault {
  readonly match: ((request: FaultRequest) => boolean) | { readonly method: string; readonly path: RegExp };
  /** How many matching requests it befalls; `Infinity` for all. Default 1. */
  readonly times?: number;
  readonly effect: FaultEffect;
}

export interface Faults {
  add(fault: Fault): void;
  clear(): void;
  /** Uses up one turn of the first fault that matches. */
  take(request: FaultRequest): FaultEffect | null;
}

export function createFaults(): Faults {
  let pending: { readonly fault: Fault; left: number }[] = [];
  return {
    add(fault) {
      pending.push({ fault, left: fault.times ?? 1 });
    },
    clear() {
      pending = [];
    },
    take(request) {
      const hit = pending.find((each) => each.left > 0 && matches(each.fault, request));
      if (hit === undefined) return null;
      hit.left -= 1;
      return hit.fault.effect;
    },
  };
}

function matches({ match }: Fault, request: FaultRequest): boolean {
  if (typeof match === 'function') return match(request);
  return match.method === request.method && match.path.test(request.path);
}
