/** A file path: left to right in every language, wrapping anywhere. */
export const Path = ({ path }: { path: string }) => (
  <code dir="ltr" className="break-all font-mono">
    {path}
  </code>
)
