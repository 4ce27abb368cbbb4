const loopback = /^(localhost|.*\.localhost|127(\.\d{1,3}){3}|\[::1\])$/i

/** Checks a typed base address. `insecure`: plain http to another computer. */
export function judgeAddress(typed: string): 'empty' | 'bad' | 'insecure' | 'good' {
  const text = typed.trim()
  if (text === '') return 'empty'
  if (!URL.canParse(text)) return 'bad'
  const { protocol, hostname } = new URL(text)
  if (protocol === 'https:') return 'good'
  if (protocol !== 'http:') return 'bad'
  return loopback.test(hostname) ? 'good' : 'insecure'
}
