/** The only reader of `process.env`. */
import { resolve } from 'node:path';
import { hostNameRule, isHostName } from '../sandbox/host-name.ts';
import { readKeyFile } from './key-file.ts';
import { type PriceTable, readPriceTable } from './price-table.ts';
import { parsePrivateKey } from './private-key.ts';
import { createVariableReader, type VariableReader, type Variables } from './variable-reader.ts';
import { findSecretFault } from './webhook-secret.ts';

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
  readonly model: {
    readonly apiKey: string;
    /** `null` for the vendor's own. */
    readonly baseUrl: string | null;
    readonly id: string;
    readonly maxOutputTokens: number;
  };
  /** Ids of the installations that the app works for; `null` for every one. */
  readonly installations: ReadonlySet<number> | null;
  /** Hosts that repositories may let the commands of their implementations reach. */
  readonly sandboxHosts: readonly string[];
  /** The operator's own prices of models. */
  readonly prices: PriceTable;
  /** Absolute. */
  readonly dataDir: string;
  /** Least time between two writes to GitHub within an installation, in milliseconds. */
  readonly writeIntervalMs: number;
  /** How often every thread that is not at rest is looked at again, in milliseconds. */
  readonly sweepIntervalMs: number;
}

/** The environment cannot be used. `problems` names every variable at fault, and never a value that may be a secret. */
export class InvalidEnvironment extends Error {
  override readonly name = 'InvalidEnvironment';
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    super(`The environment cannot be used:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
    this.problems = problems;
  }
}

/**
 * What `start` needs. Blank variables count as not set.
 * @throws {InvalidEnvironment} with every problem at once.
 */
export function readEnvironment(env: Variables = process.env): Environment {
  const problems: string[] = [];
  const reader = createVariableReader(env, problems);
  refuseUnknownServers(reader);
  if (reader.text('DATABASE_URL') !== null) {
    problems.push(
      'DATABASE_URL: expected none, as PostgreSQL is not supported yet, got one; unset it to use the embedded database in DATA_DIR',
    );
  }
  const environment: Environment = {
    appId: readAppId(reader),
    privateKey: readPrivateKey(reader),
    webhookSecret: readWebhookSecret(reader),
    ...readForge(reader),
    installations: readInstallations(reader),
    sandboxHosts: reader.list('PLANWRIGHT_SANDBOX_HOSTS', isHostName, `each to be ${hostNameRule}`),
    webhookProxyUrl: reader.address('WEBHOOK_PROXY_URL'),
    host: reader.withDefault('HOST'),
    port: reader.integer('PORT', 0, 65_535),
    logLevel: reader.oneOf('LOG_LEVEL', ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']),
    model: readModel(reader),
    prices: readPrices(reader),
    dataDir: resolve(reader.withDefault('DATA_DIR')),
    writeIntervalMs: reader.integer('PLANWRIGHT_WRITE_INTERVAL_MS', 0, 600_000),
    sweepIntervalMs: reader.integer('PLANWRIGHT_SWEEP_INTERVAL_MS', 100, 86_400_000),
  };
  if (problems.length > 0) throw new InvalidEnvironment(problems);
  return environment;
}

/**
 * Takes the secrets out of the environment of this process once they have been read: no program that it starts, whatever
 * starts it, can be given them. What the system shows of the process in `/proc` stays; nothing that a run can reach reads
 * that.
 */
export function forgetSecrets(env: Record<string, string | undefined> = process.env): void {
  for (const name of ['PRIVATE_KEY', 'WEBHOOK_SECRET', 'ANTHROPIC_API_KEY']) delete env[name];
}

/** Node then takes any server for the one that it asks, and a token or a key would go to it. */
function refuseUnknownServers(reader: VariableReader): void {
  if (reader.text('NODE_TLS_REJECT_UNAUTHORIZED') !== '0') return;
  reader.problem(
    'NODE_TLS_REJECT_UNAUTHORIZED: expected certificates to be checked, got 0; unset it, and name your own authority in NODE_EXTRA_CA_CERTS',
  );
}

/** Who the app is and where its forge is: what `verify` needs. */
export type AppEnvironment = Pick<Environment, 'appId' | 'privateKey' | 'apiUrl' | 'graphqlUrl' | 'webUrl'>;

/** @throws {InvalidEnvironment} with every problem at once. */
export function readAppEnvironment(env: Variables = process.env): AppEnvironment {
  const problems: string[] = [];
  const reader = createVariableReader(env, problems);
  refuseUnknownServers(reader);
  const environment = { appId: readAppId(reader), privateKey: readPrivateKey(reader), ...readForge(reader) };
  if (problems.length > 0) throw new InvalidEnvironment(problems);
  return environment;
}

/** The model and what it costs: what a dry run needs. */
export type ModelEnvironment = Pick<Environment, 'model' | 'prices'>;

/** @throws {InvalidEnvironment} with every problem at once. */
export function readModelEnvironment(env: Variables = process.env): ModelEnvironment {
  const problems: string[] = [];
  const reader = createVariableReader(env, problems);
  refuseUnknownServers(reader);
  const environment = { model: readModel(reader), prices: readPrices(reader) };
  if (problems.length > 0) throw new InvalidEnvironment(problems);
  return environment;
}

function readModel(reader: VariableReader): Environment['model'] {
  const id = reader.withDefault('ANTHROPIC_MODEL');
  if (!/^\S{1,200}$/.test(id)) reader.problem(`ANTHROPIC_MODEL: expected the id of a model, got ${JSON.stringify(id)}`);
  return {
    apiKey: reader.required('ANTHROPIC_API_KEY'),
    baseUrl: reader.address('ANTHROPIC_BASE_URL'),
    id,
    maxOutputTokens: reader.integer('PLANWRIGHT_MAX_OUTPUT_TOKENS', 1024, 128_000),
  };
}

/** What the demo needs: a key only where a real model is to be used. */
export interface DemoEnvironment {
  readonly modelApiKey: string | null;
  /** `null` for the vendor's own. */
  readonly modelBaseUrl: string | null;
  /** `null` for the default. */
  readonly modelId: string | null;
}

/** Blank counts as not set. */
export function readDemoEnvironment(env: Variables = process.env): DemoEnvironment {
  return {
    modelApiKey: env.ANTHROPIC_API_KEY?.trim() || null,
    modelBaseUrl: env.ANTHROPIC_BASE_URL?.trim() || null,
    modelId: env.ANTHROPIC_MODEL?.trim() || null,
  };
}

/** Absolute; what `audit` needs. */
export function readDataDir(env: Variables = process.env): string {
  return resolve(createVariableReader(env, []).withDefault('DATA_DIR'));
}

/**
 * Does `work` with another place for temporary files: for a library that can be told it in no other way. One work at a
 * time.
 */
export async function withTemporaryFolder(folder: string, work: () => Promise<void>): Promise<void> {
  const usual = process.env.TMPDIR;
  process.env.TMPDIR = folder;
  try {
    await work();
  } finally {
    if (usual === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = usual;
  }
}

/** Where child processes find programs: the host's `PATH`, and nothing else of its environment. */
export function readProgramPath(env: Variables = process.env): string {
  return env.PATH || '/usr/local/bin:/usr/bin:/bin';
}

function readAppId(reader: VariableReader): string {
  const value = reader.required('APP_ID');
  if (value !== '' && !/^[1-9]\d{0,18}$/.test(value)) {
    reader.problem(
      `APP_ID: expected the app's number, got ${value.length} other characters; copy "App ID" from its settings`,
    );
  }
  return value;
}

function readPrivateKey(reader: VariableReader): string {
  const inline = reader.text('PRIVATE_KEY');
  const path = reader.text('PRIVATE_KEY_PATH');
  if (inline === null && path === null) {
    reader.problem(
      'PRIVATE_KEY: expected the private key of the app, got none; set it, or PRIVATE_KEY_PATH to its file',
    );
    return '';
  }
  const name = inline === null ? 'PRIVATE_KEY_PATH' : 'PRIVATE_KEY';
  const found = inline === null ? readKeyFile(path ?? '') : { text: inline };
  if ('fault' in found) {
    reader.problem(`PRIVATE_KEY_PATH: ${found.fault}`);
    return '';
  }
  const { text } = found;
  const key = parsePrivateKey(text);
  if (key === null) {
    reader.problem(
      `${name}: expected an RSA private key in PEM, got ${text.length} characters that are none; download a new one`,
    );
  }
  return key ?? '';
}

function readWebhookSecret(reader: VariableReader): string {
  const secret = reader.required('WEBHOOK_SECRET');
  const fault = secret === '' ? null : findSecretFault(secret);
  if (fault !== null) reader.problem(`WEBHOOK_SECRET: ${fault}`);
  return secret;
}

function readInstallations(reader: VariableReader): ReadonlySet<number> | null {
  const ids = reader.list(
    'PLANWRIGHT_INSTALLATIONS',
    (id) => /^[1-9]\d{0,14}$/.test(id),
    "each to be the number of an installation, the last part of its settings' address, https://github.com/settings/installations/NUMBER",
  );
  return ids.length === 0 ? null : new Set(ids.map(Number));
}

function readPrices(reader: VariableReader): PriceTable {
  const path = reader.text('PLANWRIGHT_PRICES_PATH');
  const table = path === null ? new Map() : readPriceTable(path);
  if (!('problems' in table)) return table;
  for (const problem of table.problems) reader.problem(`PLANWRIGHT_PRICES_PATH: ${problem}`);
  return new Map();
}

const publicForge = {
  apiUrl: 'https://api.github.com',
  graphqlUrl: 'https://api.github.com/graphql',
  webUrl: 'https://github.com',
} as const;

/** Source: https://docs.github.com/enterprise-server/rest/overview/resources-in-the-rest-api */
function readForge(reader: VariableReader): Pick<Environment, 'apiUrl' | 'graphqlUrl' | 'webUrl'> {
  const protocol = reader.oneOf('GHE_PROTOCOL', ['https', 'http']);
  const host = reader.text('GHE_HOST');
  if (host === null) return publicForge;
  if (!/^(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i.test(host) || !URL.canParse(`${protocol}://${host}`)) {
    reader.problem(
      'GHE_HOST: expected a host name, with ":port" if need be, got something else; leave out "https://" and any path',
    );
    return publicForge;
  }
  const webUrl = `${protocol}://${host}`;
  return { apiUrl: `${webUrl}/api/v3`, graphqlUrl: `${webUrl}/api/graphql`, webUrl };
}
