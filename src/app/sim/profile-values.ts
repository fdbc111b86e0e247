/** What the profiles have for a key of a study, as the end of its description: so the schema and the page written from it always say what holds. */
import { PROFILE_NAMES, PROFILES, type Profile } from './profiles.js';

/** `Default: 400KB (rocev2, ns3-conweave), 5KB (paper).`; a profile that has nothing there is left out. */
export function byProfile(written: (profile: Profile) => string | undefined): string {
  const profiles = new Map<string, string[]>();
  for (const name of PROFILE_NAMES) {
    const value = written(PROFILES[name]);
    if (value !== undefined) profiles.set(value, [...(profiles.get(value) ?? []), name]);
  }
  const [only] = [...profiles];
  if (only && only[1].length === PROFILE_NAMES.length) return `Default: ${only[0]}.`;
  return `Default: ${[...profiles].map(([value, names]) => `${value} (${names.join(', ')})`).join(', ')}.`;
}
