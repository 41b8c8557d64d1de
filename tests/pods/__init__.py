"""The gateway pod that runs: a generator of gateways, and a judge that knows no rule of the conversion."""
