import { StudioError } from '../../core/errors.ts'

/**
 * Refuses to run from an AppImage without Chromium's sandbox. The start script that electron-builder adds to an AppImage switches the sandbox
 * off, without a message, on systems that allow no user namespaces, such as Ubuntu since 23.10.
 * @throws StudioError `bad_input`
 */
export function requireSandbox(argv: readonly string[] = process.argv, env: NodeJS.ProcessEnv = process.env): void {
  if (env.APPIMAGE === undefined || !argv.includes('--no-sandbox')) return
  throw new StudioError(
    'bad_input',
    'This system does not allow the sandbox that protects you from hostile content, and Inference Studio does not run without it. ' +
      'Install the .deb or .rpm package instead, which brings the permission, or run "npx inference-studio" for the browser.',
  )
}
