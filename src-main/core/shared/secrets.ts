/** Masks everything that looks like a key: `sk-…` of a service or an app, and credentials in headers and addresses. */
export function withoutSecrets(line: string): string {
  return (
    line
      .replace(/\b(sk-|isk_)[\w-]{6,}/g, '$1…')
      // A credential has no quotes, but what is around it has, in JSON.
      .replace(/\b(Bearer|Basic)\s+["']?[^\s"']+/gi, '$1 …')
      .replace(/(:\/\/)[^\s/@]+@/g, '$1…@')
      .replace(/([?&#](?:[\w-]*(?:token|key|secret)|password|code|state)=)[^\s&]+/gi, '$1…')
  )
}
