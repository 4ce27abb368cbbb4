import { chromiumArgs } from '../helpers/browser.mjs'

/**
 * Options of a browser with a fake microphone, whose use needs no permission. With `wav`, the microphone plays that file, and pages may
 * play sound without a click.
 */
export const withMicrophone = (wav?: string) => ({
  launchOptions: {
    ...(process.env.STUDIO_BROWSER ? { executablePath: process.env.STUDIO_BROWSER } : {}),
    args: [
      ...chromiumArgs,
      '--use-fake-device-for-media-stream',
      '--use-fake-ui-for-media-stream',
      ...(wav === undefined
        ? []
        : [`--use-file-for-fake-audio-capture=${wav}`, '--autoplay-policy=no-user-gesture-required']),
    ],
  },
})
