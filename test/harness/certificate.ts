/** Certificates for tests, made by openssl. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

export interface CertificateFiles {
  readonly certificate: string;
  readonly key: string;
}

/** Signed by itself, for 127.0.0.1, ::1 and localhost; in `folder`, a day long. */
export function makeCertificate(folder: string, name: string): CertificateFiles {
  const files = { certificate: join(folder, `${name}.pem`), key: join(folder, `${name}.key`) };
  const names = 'subjectAltName=IP:127.0.0.1,IP:::1,DNS:localhost';
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '1'];
  const what = ['-subj', `/CN=${name}`, '-addext', names, '-keyout', files.key, '-out', files.certificate];
  execFileSync('openssl', ['req', ...kind, ...what], { stdio: ['ignore', 'ignore', 'pipe'] });
  return files;
}
