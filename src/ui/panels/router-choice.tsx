/** Which router a panel is about: the same as a click on it in the drawing. */
interface Choice {
  readonly routers: readonly string[];
  readonly router: string;
  readonly onRouter: (name: string) => void;
}

export function RouterChoice({ routers, router, onRouter }: Choice) {
  if (routers.length < 2) return null;
  const others = routers.includes(router) ? [] : [router];
  return (
    <label class="field">
      as seen by
      <select value={router} onChange={(event) => onRouter(event.currentTarget.value)}>
        {[...others, ...routers].map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
