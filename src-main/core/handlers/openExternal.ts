import { StudioError } from '../errors.ts'
import type { Host } from '../host.ts'

/** Opens a web or mail address in the system's browser. @throws StudioError `bad_input` for anything else, or one with credentials in it */
export async function openExternal(host: Host, { url }: { url: string }): Promise<{ opened: boolean }> {
  const address = URL.canParse(url) ? new URL(url) : null
  const plain = address && ['http:', 'https:', 'mailto:'].includes(address.protocol)
  if (!plain || address.username !== '' || address.password !== '') {
    throw new StudioError('bad_input', 'Only web and mail addresses without credentials can be opened.')
  }
  await host.openExternal(address.href)
  return { opened: true }
}
