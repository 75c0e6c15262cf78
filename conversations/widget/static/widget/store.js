/* Kept in this browser, or only `inTab`. Storage may be blocked. */

const store = (inTab) => (inTab ? sessionStorage : localStorage);

function tried(action, otherwise) {
  try {
    return action();
  } catch {
    return otherwise;
  }
}

export const stored = {
  get: (key, inTab) => tried(() => store(inTab).getItem(key), null),
  set: (key, value, inTab) => tried(() => (value === null ? store(inTab).removeItem(key) : store(inTab).setItem(key, value))),
  names: (inTab) => tried(() => Object.keys(store(inTab)), []),
};
