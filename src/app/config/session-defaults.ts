/** What the file says for all sessions, put into the settings of one that does not say otherwise. */
import type { Policy } from '../../core/policy/policy.js';
import { bfdOf } from './bfd-settings.js';
import type { FileConfig } from './file-schema.js';
import { policyAttachment } from './policy-names.js';
import { restartHelper } from './restart-settings.js';
import type { GivenSession } from './session-settings.js';

/** Of one file: from the settings of a session as given to those that hold. */
export function sessionDefaults(file: FileConfig, policies: ReadonlyMap<string, Policy>) {
  const withPolicies = policyAttachment(file, policies);
  const linkBandwidth = file['link-bandwidth']?.advertise;
  const holdDown = file['hold-down'];
  return <T extends GivenSession>(given: T) => {
    const { bfd: bfdHere, restart, ...session } = withPolicies(given);
    const bfd = bfdOf(file.bfd, bfdHere);
    return {
      ...(linkBandwidth !== undefined && { linkBandwidth }),
      ...(holdDown !== undefined && { holdDown }),
      ...session,
      ...restartHelper(file['graceful-restart'], restart),
      ...(bfd && { bfd }),
    };
  };
}
