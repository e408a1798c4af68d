/** One request to the forge, as tests count and read them. */
export interface RequestRecord {
  readonly kind: 'rest' | 'graphql' | 'git';
  readonly method: string;
  /** Path with its query, as it came, e.g. `/api/v3/repos/acme/shop/issues/1`. */
  readonly path: string;
  readonly token: 'app' | 'installation' | 'person' | 'none';
  /** Parsed JSON; `null` where there is none, and for git. */
  readonly body: unknown;
  /** Milliseconds since the epoch, by the forge's clock. */
  readonly at: number;
  /** 0 while there is no answer, and for good where the connection was cut. */
  status: number;
}
