autocmd BufNewFile,BufRead *.stn setfiletype stn
