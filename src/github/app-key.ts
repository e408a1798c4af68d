/** The app's key pair: what it signs, nobody else can have written, and its public key alone shows that. */
import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto';

export interface AppKey {
  /** A detached signature in base64: RSA with SHA-256 and PKCS #1 v1.5, so that the same text has the same signature. */
  sign(text: string): string;
  holds(text: string, signature: string): boolean;
  /** The public key in PEM. */
  readonly publicKey: string;
}

const base64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** @param privateKey in PEM, as `parsePrivateKey` gives it */
export function createAppKey(privateKey: string): AppKey {
  const own = createPrivateKey(privateKey);
  const open = createPublicKey(own);
  return {
    sign: (text) => sign('sha256', Buffer.from(text, 'utf8'), own).toString('base64'),
    holds: (text, signature) =>
      base64.test(signature) && verify('sha256', Buffer.from(text, 'utf8'), open, Buffer.from(signature, 'base64')),
    publicKey: open.export({ type: 'spki', format: 'pem' }).toString(),
  };
}
