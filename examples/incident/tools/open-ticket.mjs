const [, , service, reason] = process.argv;
console.log(`ticket for ${service}: ${reason}`);
