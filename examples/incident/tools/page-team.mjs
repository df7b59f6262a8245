const [, , service, reason] = process.argv;
console.log(`paged the team of ${service}: ${reason}`);
