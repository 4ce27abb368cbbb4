import { create } from 'zustand'

/** The sections, most frequently changed first. The shortcuts of all commands are last, because the list is long. */
export const sectionNames = [
  'connection',
  'appearance',
  'language',
  'proxy',
  'tools',
  'alerts',
  'data',
  'shortcuts',
  'about',
] as const
export type SectionName = (typeof sectionNames)[number]

/** The section at the top of the stage. */
export const useSection = create<{ shown: SectionName }>(() => ({ shown: 'connection' }))

const elementOf = (name: SectionName): HTMLElement | null =>
  document.querySelector<HTMLElement>(`[data-settings="${name}"]`)

/** Scrolls to a section and focuses it, so that Tab continues there. */
export function goToSection(name: SectionName): void {
  const element = elementOf(name)
  element?.scrollIntoView({ block: 'start' })
  element?.focus({ preventScroll: true })
}

/** The current section is the last one above the upper edge. At the end of the page it is the last one. */
export function followScroll(box: HTMLElement): void {
  const edge = box.getBoundingClientRect().top + 60
  const atEnd = box.scrollTop > 0 && box.scrollTop + box.clientHeight >= box.scrollHeight - 2
  const passed = sectionNames.findLast((name) => (elementOf(name)?.getBoundingClientRect().top ?? Infinity) <= edge)
  const shown = (atEnd ? sectionNames.at(-1) : passed) ?? 'connection'
  if (useSection.getState().shown !== shown) useSection.setState({ shown })
}
