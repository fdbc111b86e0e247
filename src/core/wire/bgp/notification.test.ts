import { describe, expect, it } from 'vitest';
import { bytes } from '../../../../test/harness/bgp-bytes.js';
import { capturedMessages } from '../../../../test/harness/captured-messages.js';
import { decodeNotification, describeNotification, encodeNotification, shutdownData } from './notification.js';

const content = (code: number, subcode: number, data = '') => ({ code, subcode, data: bytes(data) });

describe('NOTIFICATION', () => {
  it('reads the shutdown text that FRR sent', () => {
    const texts = capturedMessages('h3-notification-admin-shutdown')
      .filter(({ type }) => type === 3)
      .map(({ body }) => decodeNotification(body))
      .map((decoded) => (decoded.kind === 'notification' ? describeNotification(decoded) : decoded.reason));
    expect(texts.length).toBeGreaterThan(0);
    expect(texts.join('\n')).toContain('Cease/Administrative Shutdown (6/2): "');
  });

  const DESCRIPTIONS = [
    { content: content(1, 2, '1001'), text: 'Message Header Error/Bad Message Length (1/2): length 4097' },
    { content: content(1, 3, '06'), text: 'Message Header Error/Bad Message Type (1/3): type 6' },
    {
      content: content(2, 1, '0004'),
      text: 'OPEN Message Error/Unsupported Version Number (2/1): version 4 is spoken',
    },
    { content: content(2, 2), text: 'OPEN Message Error/Bad Peer AS (2/2)' },
    { content: content(2, 2, 'fde9'), text: 'OPEN Message Error/Bad Peer AS (2/2): AS 65001' },
    {
      content: content(2, 7, '41 04 0000fde9 4d 00'),
      text: 'OPEN Message Error/Unsupported Capability (2/7): four-octet AS, link-local next hop',
    },
    { content: content(2, 7, '41 04 00'), text: 'OPEN Message Error/Unsupported Capability (2/7): data 410400' },
    { content: content(2, 11), text: 'OPEN Message Error/Role Mismatch (2/11)' },
    { content: content(3, 3, '02'), text: 'UPDATE Message Error/Missing Well-known Attribute (3/3): attribute 2' },
    { content: content(3, 9, 'c01a00'), text: 'UPDATE Message Error/Optional Attribute Error (3/9): data c01a00' },
    { content: content(4, 0), text: 'Hold Timer Expired (4/0)' },
    { content: content(5, 1), text: 'Finite State Machine Error/Unexpected Message in OpenSent State (5/1)' },
    {
      content: content(6, 1, '0002 01 000003e8'),
      text: 'Cease/Maximum Number of Prefixes Reached (6/1): limit 1000 for AFI 2 SAFI 1',
    },
    { content: content(6, 2, '00'), text: 'Cease/Administrative Shutdown (6/2)' },
    { content: content(6, 2, '02 6869'), text: 'Cease/Administrative Shutdown (6/2): "hi"' },
    { content: content(6, 2, '05 6869'), text: 'Cease/Administrative Shutdown (6/2): data 056869' },
    { content: content(6, 4, '04 1b5b326a'), text: 'Cease/Administrative Reset (6/4): "\\u{1b}[2j"' },
    { content: content(6, 4, '02 ff41'), text: 'Cease/Administrative Reset (6/4): "\ufffdA"' },
    { content: content(6, 9), text: 'Cease/Hard Reset (6/9)' },
    {
      content: content(6, 9, '06 02 02 6869'),
      text: 'Cease/Hard Reset (6/9): Cease/Administrative Shutdown (6/2): "hi"',
    },
    { content: content(6, 9, '06 09 06 02'), text: 'Cease/Hard Reset (6/9): Cease/Hard Reset (6/9): data 0602' },
    { content: content(6, 10), text: 'Cease/BFD Down (6/10)' },
    { content: content(6, 77), text: 'Cease (6/77)' },
    { content: content(7, 1), text: 'ROUTE-REFRESH Message Error/Invalid Message Length (7/1)' },
    { content: content(8, 0), text: 'Send Hold Timer Expired (8/0)' },
    { content: content(99, 1), text: 'Unknown Error (99/1)' },
  ];

  it.each(DESCRIPTIONS)('$text', ({ content, text }) => {
    expect(describeNotification(content)).toBe(text);
  });

  it('encodes code, subcode and data behind a header', () => {
    expect(encodeNotification(content(6, 2, '00'))).toEqual(bytes(`${'ff'.repeat(16)} 0016 03 06 02 00`));
  });

  it('takes nothing shorter than code and subcode', () => {
    expect(decodeNotification(bytes('06'))).toMatchObject({ kind: 'error', code: 1, subcode: 2 });
  });
});

describe('shutdownData', () => {
  it('is a length octet and the text', () => {
    expect(shutdownData('hi')).toEqual(bytes('02 6869'));
  });

  const LONG = [
    { name: 'one octet characters', text: 'x'.repeat(300), octets: 255 },
    { name: 'two octet characters', text: 'é'.repeat(200), octets: 254 },
    { name: 'four octet characters', text: '😀'.repeat(100), octets: 252 },
    { name: 'exactly 255 octets', text: 'x'.repeat(255), octets: 255 },
  ];

  it.each(LONG)('cuts between characters: $name', ({ text, octets }) => {
    const data = shutdownData(text);
    expect(data[0]).toBe(octets);
    expect(data).toHaveLength(octets + 1);
    expect(text.startsWith(new TextDecoder('utf-8', { fatal: true }).decode(data.subarray(1)))).toBe(true);
  });
});
