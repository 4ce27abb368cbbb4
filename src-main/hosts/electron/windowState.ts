import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import type { Rectangle } from 'electron'
import * as z from 'zod'

const state = z.object({
  x: z.number().int(),
  y: z.number().int(),
  width: z.number().int().min(480).max(20_000),
  height: z.number().int().min(360).max(20_000),
  maximized: z.boolean(),
})
export type WindowState = z.infer<typeof state>

/** Reads the saved window state. Null when the file is missing or invalid, or the window would be off every screen. */
export function readWindowState(file: string, screens: readonly Rectangle[]): WindowState | null {
  let kept: unknown
  try {
    kept = JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return null // first start or an invalid file: the default size is right for both
  }
  const parsed = state.safeParse(kept)
  return parsed.success && screens.some((screen) => reachable(parsed.data, screen)) ? parsed.data : null
}

/** Saves the window state. */
export function writeWindowState(file: string, now: WindowState): void {
  writeWhole(file, JSON.stringify(now))
}

/** Replaces a file atomically: writes a new one and renames it. */
export function writeWhole(file: string, text: string): void {
  writeFileSync(`${file}.new`, text, { mode: 0o600 })
  renameSync(`${file}.new`, file)
}

/** Whether at least 100 by 40 px of the title bar are visible, enough to drag the window. */
function reachable(window: Rectangle, screen: Rectangle): boolean {
  const across = Math.min(window.x + window.width, screen.x + screen.width) - Math.max(window.x, screen.x)
  return across >= 100 && window.y >= screen.y - 10 && window.y <= screen.y + screen.height - 40
}

/** How far a new window is from the one beside it, px. */
const stepPx = 28

/** The state of a new window beside another one, or null when it would be off every screen. */
export function cascaded(beside: Rectangle | null, screens: readonly Rectangle[]): WindowState | null {
  if (!beside) return null
  const next = { ...beside, x: beside.x + stepPx, y: beside.y + stepPx, maximized: false }
  return screens.some((screen) => reachable(next, screen)) ? next : null
}
