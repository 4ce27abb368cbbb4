import type { DesktopCapturer, Screen, SystemPreferences } from 'electron'
import { asStudioError, StudioError } from '../../core/errors.ts'
import { t } from './words.ts'

/** Longest side of a screenshot, px. Models scale larger images down. */
const longestSide = 2048

interface ScreenshotOptions {
  capturer: Pick<DesktopCapturer, 'getSources'>
  screen: Pick<Screen, 'getCursorScreenPoint' | 'getDisplayNearestPoint'>
  preferences: Pick<SystemPreferences, 'getMediaAccessStatus'>
  isWayland: boolean
  platform?: NodeJS.Platform
}

/**
 * Takes a screenshot of the screen that has the pointer, as PNG.
 * @throws StudioError `bad_input` where the system does not allow it, with a message that says what to do
 */
export async function takeScreenshot(options: ScreenshotOptions): Promise<Buffer> {
  const { capturer, screen, preferences, isWayland, platform = process.platform } = options
  const { id, size, scaleFactor } = screen.getDisplayNearestPoint(screen.getCursorScreenPoint())
  const scale = Math.min(scaleFactor, longestSide / Math.max(size.width, size.height, 1))
  const thumbnailSize = { width: Math.round(size.width * scale), height: Math.round(size.height * scale) }
  const failed = (reason: string, cause?: unknown): StudioError =>
    new StudioError('bad_input', `${reason} ${helpOn(platform, isWayland)}`.trim(), {}, { cause })
  const sources = await capturer.getSources({ types: ['screen'], thumbnailSize }).catch((thrown: unknown) => {
    throw failed(t('desktop:screenshot.failed'), asStudioError(thrown))
  })
  // The system asks by itself at the first attempt, so its answer counts only afterwards.
  if (platform === 'darwin' && preferences.getMediaAccessStatus('screen') !== 'granted') {
    throw failed(t('desktop:screenshot.notAllowed'))
  }
  const source = sources.find(({ display_id }) => display_id === String(id)) ?? sources[0]
  if (!source || source.thumbnail.isEmpty()) throw failed(t('desktop:screenshot.empty'))
  return source.thumbnail.toPNG()
}

function helpOn(platform: NodeJS.Platform, isWayland: boolean): string {
  if (platform === 'darwin') return t('desktop:screenshot.helpMac')
  return platform === 'linux' && isWayland ? t('desktop:screenshot.helpWayland') : ''
}

/** Whether this session runs under Wayland. */
export const isWaylandSession = (
  env: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
): boolean => platform === 'linux' && (env.XDG_SESSION_TYPE === 'wayland' || (env.WAYLAND_DISPLAY ?? '') !== '')
