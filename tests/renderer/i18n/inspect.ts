import type { Page } from '@playwright/test'

/**
 * Runs in the page and reports what a translation breaks.
 * @param data texts of a person or a service, which are never translated. Null: a language in which a text can't be told from a translation
 */
export function inspect(page: Page, data: readonly string[] | null): Promise<string[]> {
  // biome-ignore lint/complexity/noExcessiveCognitiveComplexity: it runs in the page, where it can call nothing of this file
  return page.evaluate((known) => {
    const faults: string[] = []
    const dialogs = [...document.querySelectorAll<HTMLElement>('dialog[open]')]
    const root: HTMLElement = dialogs.at(-1) ?? document.body
    const seen = (element: Element): boolean =>
      element.checkVisibility({ opacityProperty: true, visibilityProperty: true, contentVisibilityAuto: true }) &&
      element.getClientRects().length > 0
    const words = (text: string): boolean => /\p{L}{2,}/u.test(text)
    /** The text outside of all brackets. Nested brackets are removed first, then halves: an element such as the unit can divide a text. */
    const bare = (text: string): string => {
      const less = text.replace(/⟦[^⟦⟧]*⟧/gu, '')
      return less === text ? text.replace(/^[^⟦⟧]*⟧/u, '').replace(/⟦[^⟦⟧]*$/u, '') : bare(less)
    }
    const translated = (text: string): boolean => {
      if (known === null) return true
      const own = known.reduce((left, one) => left.replaceAll(one, ''), bare(text))
      // Removes what is the same in every language: units, SC, a request line, and dates, which Intl formats.
      // Words of Intl in Arabic, such as months, too, and overridden words of a text that the unit divides in three.
      const rest = own
        .replace(/\u202e[^\u202c]*\u202c?/g, '')
        .replace(/\p{Script=Arabic}+/gu, '')
        .replace(/\d (ms|s|min|h|SC|kB|MB|GB)\b/g, '')
        .replace(/\b(GET|POST) \/\S+/g, '')
        .replace(/\b[A-Z][a-z]{2} \d{1,2}, \d{4}, .*$/, '')
      return !words(rest)
    }
    // Whether the element contains text of a person, a model or a machine: with its own direction, or code, a key or a time.
    const outside = (element: Element | null): boolean =>
      element?.closest(
        'code, pre, kbd, time, samp, svg, [dir="auto"], [dir="ltr"]:not(html), [data-part], script, style',
      ) !== null

    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const text = node.textContent ?? ''
      const { parentElement } = node
      if (!words(text) || !parentElement || !seen(parentElement) || outside(parentElement)) continue
      if (!translated(text)) faults.push(`not translated: “${text.trim().slice(0, 60)}”`)
    }
    for (const name of ['aria-label', 'placeholder', 'title', 'alt']) {
      for (const element of root.querySelectorAll(`[${name}]`)) {
        const text = element.getAttribute(name) ?? ''
        if (seen(element) && !translated(text) && !outside(element))
          faults.push(`not translated: ${name} “${text.slice(0, 60)}”`)
      }
    }

    if (document.documentElement.scrollWidth > innerWidth) faults.push('the page scrolls sideways')
    // A line with an ellipsis may be truncated.
    const mayBeCut = (element: Element): boolean =>
      [element, ...element.querySelectorAll('*')].some((one) => {
        const { textOverflow, webkitLineClamp } = getComputedStyle(one)
        return textOverflow === 'ellipsis' || webkitLineClamp !== 'none'
      }) || element.closest('.truncate') !== null
    const controls = [
      ...root.querySelectorAll<HTMLElement>(
        'button, a[href], label, h1, h2, h3, [role="radio"], [role="tab"], input, select, textarea',
      ),
    ].filter(
      (element) =>
        seen(element) &&
        !element.closest('.sr-only, .chat-sr, [aria-hidden="true"]') &&
        !element.classList.contains('sr-only'),
    )
    const name = (element: Element): string =>
      `${element.tagName.toLowerCase()} “${(element.getAttribute('aria-label') ?? element.textContent ?? '').slice(0, 50)}”`
    for (const element of controls) {
      if (['INPUT', 'SELECT', 'TEXTAREA'].includes(element.tagName) || mayBeCut(element)) continue
      if (element.scrollWidth > element.clientWidth + 1 && getComputedStyle(element).display !== 'inline')
        faults.push(`cut off: ${name(element)} (${element.scrollWidth} in ${element.clientWidth} px)`)
    }
    /** The visible part of an element: clipped at the edges of scrolling boxes. */
    const drawn = (element: Element): DOMRect => {
      let { left, top, right, bottom } = element.getBoundingClientRect()
      for (let box = element.parentElement; box; box = box.parentElement) {
        const { overflowX, overflowY } = getComputedStyle(box)
        const edge = box.getBoundingClientRect()
        if (overflowX !== 'visible') [left, right] = [Math.max(left, edge.left), Math.min(right, edge.right)]
        if (overflowY !== 'visible') [top, bottom] = [Math.max(top, edge.top), Math.min(bottom, edge.bottom)]
      }
      return new DOMRect(left, top, Math.max(0, right - left), Math.max(0, bottom - top))
    }
    // Only visible ones: a scrolling list has more below.
    const rects = controls
      .filter((element) => element.matches('button, a[href], input, select, textarea'))
      .map((element) => ({ element, rect: drawn(element) }))
      .filter(({ element, rect: { left, top, width, height } }) => {
        if (width === 0 || height === 0) return false
        const top_ = document.elementFromPoint(left + width / 2, top + height / 2)
        return top_ !== null && (element.contains(top_) || top_.contains(element))
      })
    for (const [at, one] of rects.entries()) {
      for (const other of rects.slice(at + 1)) {
        if (one.element.contains(other.element) || other.element.contains(one.element)) continue
        // A popover is over the page.
        if (one.element.closest('[role="dialog"]') !== other.element.closest('[role="dialog"]')) continue
        const wide = Math.min(one.rect.right, other.rect.right) - Math.max(one.rect.left, other.rect.left)
        const high = Math.min(one.rect.bottom, other.rect.bottom) - Math.max(one.rect.top, other.rect.top)
        // A button that belongs inside a field is completely within it.
        const within =
          wide >= Math.min(one.rect.width, other.rect.width) - 1 && one.element.tagName !== other.element.tagName
        if (wide > 2 && high > 2 && !within) faults.push(`overlap: ${name(one.element)} and ${name(other.element)}`)
      }
    }
    return [...new Set(faults)]
  }, data)
}
