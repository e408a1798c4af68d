import { createPrivateKey } from 'node:crypto';

const pem = /^(-----BEGIN ((?:RSA )?PRIVATE KEY)-----)([\s\S]*?)(-----END \2-----)$/;

/**
 * The app's private key in PEM, from the forms that Probot takes: PEM, PEM with `\n` written out or with its line breaks
 * lost, and base64 of any of them. `null` for what is not a readable RSA key.
 * Source: https://github.com/probot/get-private-key
 */
export function parsePrivateKey(text: string): string | null {
  const trimmed = text.trim();
  const decoded = trimmed.includes('-----BEGIN') ? trimmed : Buffer.from(trimmed, 'base64').toString('utf8');
  const parts = pem.exec(decoded.replaceAll('\\n', '\n').replaceAll('\r\n', '\n').trim());
  if (parts === null) return null;
  const [, begin, , body = '', end] = parts;
  const rows = body.replaceAll(/\s+/g, '').match(/.{1,64}/g) ?? [];
  const key = `${[begin, ...rows, end].join('\n')}\n`;
  return isRsaKey(key) ? key : null;
}

function isRsaKey(key: string): boolean {
  try {
    return createPrivateKey(key).asymmetricKeyType === 'rsa';
  } catch {
    return false;
  }
}
