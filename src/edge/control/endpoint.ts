/** Where a daemon is asked: its socket, or its TCP address with a token; and what it means when there is no answer. */
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { type RequestOptions, request as requestSecurely } from 'node:https';

export interface Endpoint {
  /** For messages: the path of the socket, or `https://192.0.2.1:8443`. */
  readonly name: string;
  readonly options: RequestOptions;
  readonly isSecure: boolean;
}

/** Text is the path of a socket. */
export function endpointAt(at: string | Endpoint): Endpoint {
  return typeof at === 'string' ? { name: at, options: { socketPath: at }, isSecure: false } : at;
}

export interface ApiAddress {
  /** `http:` or `https:`, without a path. */
  readonly url: URL;
  readonly token: string;
  /** PEM of who signed the certificate; absent: whom the system trusts. */
  readonly ca?: string;
}

export function tcpEndpoint({ url, token, ca }: ApiAddress): Endpoint {
  const isSecure = url.protocol === 'https:';
  const options: RequestOptions = {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port || (isSecure ? 443 : 80),
    headers: { authorization: `Bearer ${token}` },
    ...(isSecure && { minVersion: 'TLSv1.2' }),
    ...(ca !== undefined && { ca }),
  };
  return { name: url.origin, options, isSecure };
}

export interface Sending {
  readonly path: string;
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
}

/** Nothing is sent until it is ended. */
export function send(
  { options, isSecure }: Endpoint,
  { path, method = 'GET', headers }: Sending,
  answered: (response: IncomingMessage) => void,
): ClientRequest {
  const open = isSecure ? requestSecurely : request;
  return open({ ...options, path, method, agent: false, headers: { ...options.headers, ...headers } }, answered);
}

/** What OpenSSL says of a certificate that nobody known has signed, or that is another's. */
const DISTRUST = /CERT|SELF_SIGNED|ALTNAME|ISSUER|UNABLE_TO_VERIFY/;

/** An error of a connection in words for the operator. */
export function explain(error: Error, name: string): string {
  const code = 'code' in error ? String(error.code) : '';
  const isSocket = name.startsWith('/');
  if (code === 'ENOENT') return `no daemon at ${name} (is heddle running?)`;
  if (code === 'ECONNREFUSED' && isSocket)
    return `no daemon answers at ${name}, the socket is a leftover (is heddle running?)`;
  if (code === 'ECONNREFUSED') return `no daemon listens at ${name} (is heddle running, with control.listen there?)`;
  if (code === 'EACCES' || code === 'EPERM') return `permission denied on ${name}: use the account heddle runs under`;
  if (code === 'ETIMEDOUT') return `the daemon at ${name} does not answer (${error.message})`;
  if (DISTRUST.test(code))
    return `the certificate of ${name} is not trusted (${error.message}): --ca names who signed it`;
  if (code === 'EPROTO') return `${name} does not speak TLS: is it http://?`;
  if (code === 'ECONNRESET') return `the daemon at ${name} broke off its answer`;
  return `${name}: ${error.message}`;
}
