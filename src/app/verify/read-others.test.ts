/** What FRR 10.3, BIRD 2.17 and BIRD 3.1 print, shortened to what matters here and one path of each kind. */
import { describe, expect, it } from 'vitest';
import { readBirdRoutes } from './read-bird.js';
import { readFrrRoutes } from './read-frr.js';

const FRR = `{
 "vrfId": 0, "vrfName": "default", "tableVersion": 12, "routerId": "10.0.0.2", "defaultLocPrf": 100, "localAS": 65002,
 "routes": { "fc00:1:1:2::/64": [{"aspath":{"string":"65101","length":1},"origin":"IGP","aigpMetric":1,"valid":true,"version":8,
   "bestpath":{"bestpathFromAs":65101,"overall":true,"selectionReason":"First path received"},
   "nexthops":[{"ip":"fe80::503a:f0ff:fe03:7dc9","scope":"link-local","accessible":true,"used":true}],
   "peer":{"peerId":"fe80::503a:f0ff:fe03:7dc9","interface":"to-leaf1","type":"external (oad)"}},
  {"aspath":{"string":"65003 65101","length":2},"origin":"IGP","valid":true,"bestpath":{"bestpathFromAs":65003},
   "nexthops":[{"ip":"::","scope":"global","accessible":true}],"peer":{"interface":"to-leaf2","type":"external"}}],
 "fc00:2:1:1::/64": [{"valid":true,"extendedCommunity":{"string":"Color:00:1"},"nexthops":[{"ip":"fe80::1","accessible":false}],
   "peer":{"peerId":"fe80::1","interface":"to-leaf2","type":"external"}}],
 "fc00:3:1:1::/64": [{"valid":true,"sourced":true,"local":true,"bestpath":{"overall":true},"peer":{"peerId":"::"}}]
 }
}`;

const BIRD_2 = `BIRD 2.17.6 ready.
Table master6:
fc00:3:1:2::/64      unicast [link3_1 10:35:29.574] * (100) [AS65103i]
	via fe80::2c6f:3cff:fe02:7682 on to-leaf3
	Type: BGP univ
	BGP.origin: IGP
	BGP.as_path: 65103
	BGP.next_hop: :: fe80::2c6f:3cff:fe02:7682
	BGP.ext_community: (generic, 0x30b0000, 0x2)
fc00:1:1:3::/64      unicast [link1_1 10:35:26.719] * (100/1) [AS65101i]
	via fe80::7c50:bbff:fe70:3bc5 on to-leaf1
	Type: BGP univ
	BGP.as_path: 65101
	BGP.ext_community: (generic, 0x30b0000, 0x3)
	BGP.aigp: 0
                     unicast [link2_1 10:35:27.267] (100) [AS65102i]
	via fe80::9826:c8ff:fe01:95f3 on to-leaf2
	Type: BGP univ
	BGP.as_path: 65102
fc00:9::/64          unicast [static1 10:35:18.947] * (200)
	dev to-host1
	Type: static univ
`;

const BIRD_3 = `BIRD 3.1.8 ready.
Table master6:
fc00:1:1:4::/64      unicast [link1_1 10:35:26.786] * (100/1) [AS65101i]
	via fe80::8472:9eff:feeb:eca1 on to-leaf1
	preference: 100
	source: BGP
	bgp_path: 65101
	bgp_aigp: 0
	bgp_ext_community: (generic, 0x30b0000, 0x4)
	Internal route handling values: 0L 4G 0S id 4
`;

const path = (name: string, rest: object) => ({
  interface: name,
  use: null,
  colour: null,
  aigp: null,
  reason: null,
  ...rest,
});

describe('routes of FRR', () => {
  it('with AIGP, colour, and what is chosen and usable; its own are left out', () => {
    expect(readFrrRoutes(FRR)).toEqual([
      {
        prefix: 'fc00:1:1:2::/64',
        paths: [path('to-leaf1', { use: 'preferred', aigp: '1' }), path('to-leaf2', { use: 'spare' })],
      },
      {
        prefix: 'fc00:2:1:1::/64',
        paths: [path('to-leaf2', { use: 'hidden', colour: 1, reason: 'its next hop is inaccessible' })],
      },
      { prefix: 'fc00:3:1:1::/64', paths: [] },
    ]);
  });

  it('an answer that is something else is refused', () => {
    expect(() => readFrrRoutes('% no such command')).toThrow();
    expect(() => readFrrRoutes('{"routes": {"fc00::/64": 7}}')).toThrow();
  });
});

describe('routes of BIRD', () => {
  it('of version 2, with several paths of a prefix; those of other protocols are left out', () => {
    expect(readBirdRoutes(BIRD_2)).toEqual([
      { prefix: 'fc00:3:1:2::/64', paths: [path('to-leaf3', { colour: 2 })] },
      { prefix: 'fc00:1:1:3::/64', paths: [path('to-leaf1', { colour: 3, aigp: '0' }), path('to-leaf2', {})] },
    ]);
  });

  it('of version 3', () => {
    expect(readBirdRoutes(BIRD_3)).toEqual([
      { prefix: 'fc00:1:1:4::/64', paths: [path('to-leaf1', { colour: 4, aigp: '0' })] },
    ]);
  });
});
