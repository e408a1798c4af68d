/** The variables that are read, for people: the table of the README is compared with it. */
export interface EnvironmentVariable {
  readonly name: string;
  readonly meaning: string;
  /** As one would write it; `null` for a variable without a default. */
  readonly default: string | null;
  readonly isRequired: boolean;
}

/** In the order of the table. */
export const environmentVariables = [
  { name: 'APP_ID', meaning: "The GitHub App's id.", default: null, isRequired: true },
  {
    name: 'PRIVATE_KEY',
    meaning: "The app's private key (PEM, with line breaks or `\\n`, or base64 of it). Goes before `PRIVATE_KEY_PATH`.",
    default: null,
    isRequired: false,
  },
  {
    name: 'PRIVATE_KEY_PATH',
    meaning: 'A file that holds the private key, and that nobody but its owner can read. One of the two is required.',
    default: null,
    isRequired: false,
  },
  {
    name: 'WEBHOOK_SECRET',
    meaning: "The app's webhook secret, at least 16 characters that nobody else knows.",
    default: null,
    isRequired: true,
  },
  {
    name: 'PLANWRIGHT_INSTALLATIONS',
    meaning: 'Numbers of the installations that the app works for, with commas between them. Every one by default.',
    default: null,
    isRequired: false,
  },
  {
    name: 'ANTHROPIC_API_KEY',
    meaning: 'The key of the Messages API. The demo with the scripted model needs none.',
    default: null,
    isRequired: true,
  },
  {
    name: 'ANTHROPIC_BASE_URL',
    meaning: "Address of the Messages API, where it is not the vendor's own.",
    default: null,
    isRequired: false,
  },
  {
    name: 'ANTHROPIC_MODEL',
    meaning: "The model's id, as the Messages API names it. No repository can choose another.",
    default: 'claude-sonnet-5-5',
    isRequired: false,
  },
  {
    name: 'PLANWRIGHT_MAX_OUTPUT_TOKENS',
    meaning: 'Tokens that one answer of the model may have.',
    default: '16000',
    isRequired: false,
  },
  {
    name: 'GHE_HOST',
    meaning: 'Host of a GitHub Enterprise Server, with a port if need be, without `https://`.',
    default: null,
    isRequired: false,
  },
  { name: 'GHE_PROTOCOL', meaning: '`https` or `http`, for `GHE_HOST`.', default: 'https', isRequired: false },
  {
    name: 'WEBHOOK_PROXY_URL',
    meaning: 'A smee.io channel that forwards webhooks to a machine without a public address.',
    default: null,
    isRequired: false,
  },
  { name: 'HOST', meaning: 'The address to listen on.', default: 'localhost', isRequired: false },
  { name: 'PORT', meaning: 'The port to listen on; 0 takes a free one.', default: '3000', isRequired: false },
  {
    name: 'LOG_LEVEL',
    meaning: '`trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`.',
    default: 'info',
    isRequired: false,
  },
  {
    name: 'DATA_DIR',
    meaning: 'The folder of the embedded database, the mirrors and the working trees. Its owner alone may have access.',
    default: '.data',
    isRequired: false,
  },
  {
    name: 'DATABASE_URL',
    meaning: 'Not supported yet: only the embedded database is. Must not be set.',
    default: null,
    isRequired: false,
  },
  {
    name: 'NODE_TLS_REJECT_UNAUTHORIZED',
    meaning: 'Must not be 0. For a certificate authority of your own, set `NODE_EXTRA_CA_CERTS`.',
    default: null,
    isRequired: false,
  },
  {
    name: 'PLANWRIGHT_WRITE_INTERVAL_MS',
    meaning: 'Least time between two writes to GitHub within an installation, in milliseconds.',
    default: '1000',
    isRequired: false,
  },
  {
    name: 'PLANWRIGHT_SWEEP_INTERVAL_MS',
    meaning: 'How often every thread that is not at rest is looked at again, in milliseconds.',
    default: '300000',
    isRequired: false,
  },
  {
    name: 'PLANWRIGHT_SANDBOX_HOSTS',
    meaning:
      'Hosts that repositories may let the commands of their implementations reach (`sandbox.hosts`), with commas between them. None by default.',
    default: null,
    isRequired: false,
  },
  {
    name: 'PLANWRIGHT_PRICES_PATH',
    meaning:
      'A JSON file of prices that go before the published ones, in US dollars for a million tokens: `{ "MODEL": { "input": 3, "output": 15, "cache_read": 0.3, "cache_write": 3.75 } }`.',
    default: null,
    isRequired: false,
  },
] as const satisfies readonly EnvironmentVariable[];

export type VariableName = (typeof environmentVariables)[number]['name'];
