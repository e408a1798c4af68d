/** The only reader of `process.env`. */
export interface Environment {
  readonly appId: string;
  readonly privateKey: string;
  readonly webhookSecret: string;
  /** Base of the REST API, without a trailing slash, e.g. `https://api.github.com` or `http://127.0.0.1:3001/api/v3`. */
  readonly apiUrl: string;
  /** The GraphQL endpoint, e.g. `http://127.0.0.1:3001/api/graphql`. */
  readonly graphqlUrl: string;
  /** Base of git and web addresses, without a trailing slash, e.g. `https://github.com`. */
  readonly webUrl: string;
  readonly webhookProxyUrl: string | null;
  readonly host: string;
  /** 0 asks the system for a free port. */
  readonly port: number;
  readonly logLevel: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';
  readonly model: { readonly apiKey: string; readonly baseUrl: string | null };
  /** Absolute. */
  readonly dataDir: string;
  /** Least time between two writes to GitHub within an installation, in milliseconds. */
  readonly writeIntervalMs: number;
  /** How often every thread that is not at rest is looked at again, in milliseconds. */
  readonly sweepIntervalMs: number;
}
