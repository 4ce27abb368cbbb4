import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { node24, root } from '../../resources/scripts/ready.mjs'
import { serveWithSandbox as serveArguments } from '../../resources/scripts/serveArguments.mjs'

/** Starts the built program with a sandbox, and resolves when its page can be opened. */
export async function serveWithSandbox(dataDir: string): Promise<{ url: string; stop: () => Promise<void> }> {
  const child = spawn(node24(), [join(root, 'out/main/node.js'), ...serveArguments(dataDir)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = await once(createInterface({ input: child.stdout }), 'line')
  const { web } = JSON.parse(String(line)) as { web: { url: string } }
  return {
    url: web.url,
    stop: async () => {
      child.kill('SIGTERM')
      await once(child, 'exit')
    },
  }
}
