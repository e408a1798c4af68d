/** Made-up secrets in the forms of real ones, put together here so that no scanner takes this repository's for leaked. */
const letters = 'aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5';
const body = (length: number): string => letters.repeat(Math.ceil(length / letters.length)).slice(0, length);
const pem = (kind: string, size: number) => {
  const lines = body(size).match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${kind}-----`, ...lines, `-----END ${kind}-----`];
};

export const rsaKey = pem('RSA PRIVATE KEY', 1600).join('\n');

/** What each is told as, and a text that holds one. */
export const secretForms: readonly (readonly [string, string])[] = [
  ['GitHub token', `ghp_${body(36)}`],
  ['GitHub token', `gho_${body(36)}`],
  ['GitHub token', `ghu_${body(36)}`],
  ['GitHub token', `ghr_${body(76)}`],
  ['GitHub token', `ghs_${body(36)}`],
  ['GitHub token', `ghs_1234567_eyJ${body(100)}.eyJ${body(300)}.${body(43)}-_${body(40)}`],
  ['GitHub token', `github_pat_${body(22)}_${body(59)}`],
  ['GitHub token', `xghp_${body(36)}`],
  ['Anthropic API key', `sk-ant-api03-${body(93)}AA`],
  ['Anthropic API key', `sk-ant-admin01-${body(60)}`],
  ['private key', rsaKey],
  ['private key', pem('PRIVATE KEY', 64).join('\r\n')],
  ['private key', pem('OPENSSH PRIVATE KEY', 400).join('\\n')],
  ['private key', pem('EC PRIVATE KEY', 164).join('" +\n  "')],
  ['private key', pem('ENCRYPTED PRIVATE KEY', 400).join('\n')],
  ['private key', pem('PGP PRIVATE KEY BLOCK', 800).join('\n').replace('\n', '\nVersion: 1\n\n')],
  [
    'private key',
    pem('RSA PRIVATE KEY', 800).join('\n').replace('\n', '\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES,00\n\n'),
  ],
  ['slack secret', `xoxb-123456789012-1234567890123-${body(24)}`],
  ['npm secret', `npm_${body(36)}`],
  ['stripe secret', `sk_live_${body(24)}`],
  ['aws secret', `AWS_SECRET_ACCESS_KEY=${body(39)}Z`],
  ['database connection string secret', `postgres://app:${body(12)}@db.internal:5432/app`],
];
