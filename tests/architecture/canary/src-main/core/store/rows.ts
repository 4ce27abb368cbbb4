export interface Rows {
  count: number
}
