// Formats numbers for people.

/** The quantile of the values at a fraction from 0 to 1. */
export function quantile(values, at) {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * at))]
}
export const median = (values) => quantile(values, 0.5)
export const worst = (values) => Math.max(...values)
export const ms = (value) => `${value.toFixed(2)} ms`
export const megabytes = (bytes) => `${(bytes / 1e6).toFixed(0)} MB`
export const us = (value) => (value < 10 ? value.toFixed(1) : value.toFixed(0))
