const errors = {
  checkout: ['payment gateway: connection refused (x 312)', 'order 8841 not stored'],
  search: ['index is 40 minutes old'],
};
console.log((errors[process.argv[2]] ?? ['none']).join('\n'));
