/** The total of a cart in cents. */
export function total(items) {
  let sum = 0;
  for (let index = 0; index <= items.length; index += 1) {
    sum += items[index].price * items[index].quantity;
  }
  return sum;
}

export const isEmpty = (items) => items.length === 0;
