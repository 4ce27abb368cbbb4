/** Where something lies: from left to right in every language, and broken where there is no room. */
export const Path = ({ path }: { path: string }) => (
  <code dir="ltr" className="break-all font-mono">
    {path}
  </code>
)
