/**
 * Who may ask over TCP: the token, and the certificate that the daemon shows. Both are files, read at the start and when a reload asks for it; what cannot be
 * used changes nothing.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { createSecureContext, type SecureContextOptions } from 'node:tls';
import { codeOf } from './socket-file.js';

export interface CredentialFiles {
  readonly tokenFile: string;
  /** PEM files; absent: no TLS. */
  readonly tls?: { readonly certificate: string; readonly key: string };
}

interface Read {
  readonly token: Buffer;
  readonly tls: SecureContextOptions | undefined;
}

const LONGEST_TOKEN = 512;
/** Characters of which none is guessed: 16 of base64 are 96 bits. */
const SHORTEST_TOKEN = 16;

export class Credentials {
  #read: Read;
  /** Called when other files have been read: what was allowed by the token before is no more. */
  onChange: (changed: { readonly token: boolean }) => void = () => undefined;

  /** Throws a plain error when a file cannot be used. */
  constructor(private readonly files: CredentialFiles) {
    this.#read = readAll(files);
  }

  get tls(): SecureContextOptions | undefined {
    return this.#read.tls;
  }

  /** `authorization`: the header as it came. Takes as long for every wrong token. */
  judge(authorization: string | undefined): 'accepted' | 'missing' | 'wrong' {
    const given = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
    if (given === undefined) return 'missing';
    return timingSafeEqual(digest(given), this.#read.token) ? 'accepted' : 'wrong';
  }

  /** Reads the files again; what it returns puts them to use and says what changed. Throws as the constructor does. */
  prepare(): () => string[] {
    const [before, after] = [this.#read, readAll(this.files)];
    return () => {
      this.#read = after;
      const token = !before.token.equals(after.token);
      const certificate = JSON.stringify(before.tls) !== JSON.stringify(after.tls);
      if (token || certificate) this.onChange({ token });
      return [...(token ? ['control: another token'] : []), ...(certificate ? ['control: another certificate'] : [])];
    };
  }
}

/** Of a file that its owner alone may read, without space around it; throws a plain error that begins with `what`. */
export function readToken(file: string, what: string): string {
  const text = readOwn(file, what).trim();
  if (text.length < SHORTEST_TOKEN)
    throw new Error(`${what} ${file}: a token has at least ${SHORTEST_TOKEN} characters (openssl rand -base64 32)`);
  if (!/^[\x21-\x7e]+$/.test(text) || text.length > LONGEST_TOKEN)
    throw new Error(
      `${what} ${file}: a token is one line of ASCII without spaces, at most ${LONGEST_TOKEN} characters`,
    );
  return text;
}

function readAll({ tokenFile, tls }: CredentialFiles): Read {
  return { token: digest(readToken(tokenFile, 'control.token-file')), tls: tls && readPair(tls) };
}

function readPair({ certificate, key }: NonNullable<CredentialFiles['tls']>): SecureContextOptions {
  const pair: SecureContextOptions = {
    cert: readPem(certificate, 'control.tls.certificate'),
    key: readPem(key, 'control.tls.key'),
    minVersion: 'TLSv1.2',
  };
  try {
    createSecureContext(pair);
    return pair;
  } catch (error) {
    const words = error instanceof Error ? error.message.replace(/^error:[0-9A-F]*:/i, '') : String(error);
    throw new Error(`control.tls: ${certificate} and ${key} are no certificate and its key (${words})`);
  }
}

function readPem(file: string, what: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new Error(`${what} ${file}: cannot be read (${codeOf(error)})`);
  }
}

/** What is judged is what is read: the file is opened first. */
function readOwn(file: string, what: string): string {
  let descriptor: number;
  try {
    descriptor = openSync(file, 'r');
  } catch (error) {
    throw new Error(`${what} ${file}: cannot be read (${codeOf(error)})`);
  }
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) throw new Error(`${what} ${file}: this is no file`);
    const mode = stats.mode & 0o777;
    if ((mode & 0o077) !== 0)
      throw new Error(`${what} ${file}: others may read or write it (mode 0${mode.toString(8)}): chmod 600 ${file}`);
    const octets = Buffer.alloc(2 * LONGEST_TOKEN);
    return octets.toString('utf8', 0, readSync(descriptor, octets));
  } finally {
    closeSync(descriptor);
  }
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
