/**
 * The settings of every git call. Flags alone do not make git safe in a folder that an agent could write: what does is that
 * the git directory is always the host's. They close what is left: the machine's own configuration, prompts, helpers, other protocols.
 */
export type AllowedProtocols = 'https' | 'http-and-https' | 'file';

export interface GitHost {
  /** An empty folder; git's HOME and working folder. */
  readonly home: string;
  readonly configFile: string;
  /** Git looks for no repository above this folder. */
  readonly ceiling: string;
  readonly allowedProtocols: AllowedProtocols;
  /** Where git is looked for, as in PATH. */
  readonly searchPath: string;
  /** Ends every running call. */
  readonly signal: AbortSignal | null;
}

const protocols = {
  https: ['https'],
  'http-and-https': ['http', 'https'],
  file: ['file'],
} as const satisfies Readonly<Record<AllowedProtocols, readonly string[]>>;

/** The usual places of programs. */
export const defaultSearchPath = '/usr/local/bin:/opt/homebrew/bin:/usr/bin:/bin';

/** Only honoured here: git ignores `safe.*` in a repository's own configuration. */
export const hostConfig = '[safe]\n\tbareRepository = explicit\n';

/**
 * Overrides every `.gitattributes` of a repository: no filter, no line-ending change, no keyword, no re-encoding, in or out.
 * `$GIT_DIR/info/attributes` has the highest precedence (gitattributes(5)).
 */
export const attributesOff = '* -text !eol -ident -filter !working-tree-encoding -diff -merge\n';

/** The environment, from nothing. */
export function gitEnvironment(host: GitHost): Record<string, string> {
  return {
    PATH: host.searchPath,
    HOME: host.home,
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: host.configFile,
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: 'false',
    GIT_EDITOR: 'false',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_NO_LAZY_FETCH: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_LITERAL_PATHSPECS: '1',
    GIT_PROTOCOL_FROM_USER: '0',
    GIT_ALLOW_PROTOCOL: protocols[host.allowedProtocols].join(':'),
    GIT_CEILING_DIRECTORIES: host.ceiling,
  };
}

/** The `-c` settings; the last word, above any file. */
export function gitConfig(host: GitHost): string[] {
  return [
    'core.hooksPath=/dev/null',
    'core.fsmonitor=false',
    'core.attributesFile=/dev/null',
    'core.excludesFile=/dev/null',
    'core.protectHFS=true',
    'core.protectNTFS=true',
    'core.autocrlf=false',
    'core.safecrlf=false',
    'core.fileMode=true',
    'core.logAllRefUpdates=false',
    'credential.helper=',
    'protocol.allow=never',
    ...protocols[host.allowedProtocols].map((protocol) => `protocol.${protocol}.allow=always`),
    'transfer.fsckObjects=true',
    'transfer.credentialsInUrl=die',
    'transfer.bundleURI=false',
    // A pack is checked before it becomes visible; loose objects would be written while they are checked.
    'transfer.unpackLimit=1',
    'submodule.recurse=false',
    'fetch.recurseSubmodules=false',
    'http.followRedirects=false',
    'push.followTags=false',
    'push.gpgSign=false',
    'push.recurseSubmodules=no',
    'gc.auto=0',
    'maintenance.auto=false',
    'commit.gpgsign=false',
    'i18n.commitEncoding=utf-8',
    ...oldMistakes.flatMap((id) => [`fsck.${id}=warn`, `fetch.fsck.${id}=warn`]),
  ];
}

/** Flaws that old tools left in the history of sound repositories; none of them changes what is checked out. */
const oldMistakes = [
  'badTimezone',
  'missingSpaceBeforeDate',
  'missingEmail',
  'missingNameBeforeEmail',
  'zeroPaddedDate',
  'zeroPaddedFilemode',
];
